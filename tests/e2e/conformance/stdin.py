# SPDX-License-Identifier: GPL-2.0-or-later
"""What comes on stdin isn't one JSON object: code 6 for every verb that reads it; names: code 7."""
from .rows import ABSENT, NEWEST, Row

VERBS = ("ADD", "DEL", "CHECK", "GC", "STATUS")
OBJECT = b'{"cniVersion":"1.1.0","name":"podnet","type":"podwire"}'
FAULTS = {
    "empty": b"",
    "blank": b" \n\t ",
    "text": b"not json",
    "truncated": OBJECT[:-10],
    "trailing_garbage": OBJECT + b" x",
    "two_objects": OBJECT + OBJECT,
    "array": b"[" + OBJECT + b"]",
    "number": b"42",
    "string": b'"podwire"',
    "null": b"null",
    "nul_byte_inside": OBJECT[:20] + b"\0" + OBJECT[20:],
    "bytes_after_nul": OBJECT + b"\0{}",
    "byte_order_mark": b"\xef\xbb\xbf" + OBJECT,
    "single_quotes": OBJECT.replace(b'"', b"'"),
    "comment": b"/* hello */" + OBJECT,
    "comma_too_many": OBJECT[:-1] + b",}",
    "deep_nesting": b'{"a":' * 100_000,
    "oversized": b'{"cniVersion":"1.1.0","name":"podnet","type":"podwire","x":"' + b"x" * (64 << 20) + b'"}',
}
BAD_NAMES = ("", "-dash", ".dot", "with space", "with/slash", "../x", "semi;colon", "uml\u00e4ut", "new\nline")

ROWS = []
for _verb in VERBS:
    for _label, _bytes in FAULTS.items():
        # What is too much to be read at all may count as I/O.
        ROWS.append(Row(f"{_verb.lower()}_with_{_label}_on_stdin", _verb, stdin=_bytes, calls=(), spoke=NEWEST,
                        code=(5, 6) if _label == "oversized" else 6))
    ROWS.append(Row(f"{_verb.lower()}_without_network_name", _verb, "1.1.0", config={"name": ABSENT}, code=7,
                    message=("name",), calls=()))
for _i, _value in enumerate(BAD_NAMES):
    ROWS.append(Row(f"add_with_bad_network_name_{_i}", config={"name": _value}, code=7, message=("name",),
                    calls=()))
for _value in (1, True, [], {}):
    ROWS.append(Row(f"add_with_network_name_of_type_{type(_value).__name__}", config={"name": _value},
                    code=(6, 7), message=("name",), calls=()))
