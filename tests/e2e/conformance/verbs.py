# SPDX-License-Identifier: GPL-2.0-or-later
"""Each verb in each version: what is served, what is refused, in which version the answer speaks."""
from .rows import (A4, ABSENT, BEFORE_CHECK, BEFORE_GC, DUAL, NEWEST, ONLY_V4, R4, Row, VERSIONS,
                   WITH_CHECK, WITH_GC, add_result)

UNSUPPORTED = ("9.9.9", "2.0.0", "1.2.0", "0.5.0", "0.0.1", "1.1.1", "0.3.2")
NOT_VERSIONS = ("banana", "1", "1.0", "1.0.0.0", "v1.0.0", " 1.0.0", "1.0.0-rc1")
INCOMPATIBLE = ("CHECK", "GC", "STATUS", "ADD", "DEL")

ROWS = []

for _v in VERSIONS:
    ROWS += [
        Row(f"add_{_v}_answers_in_its_own_shape", "ADD", _v,
            result=add_result(_v, DUAL["ips"], DUAL["routes"]), calls=("ADD",), asked=_v),
        Row(f"del_{_v}_after_add_is_silent", "DEL", _v, before="attached", calls=("DEL",), asked=_v),
        Row(f"del_{_v}_before_add_is_silent", "DEL", _v, calls=("DEL",)),
        Row(f"version_{_v}_says_the_input_version_and_all_supported", "VERSION", _v,
            stdin=f'{{"cniVersion":"{_v}"}}'.encode(), calls=(),
            result={"cniVersion": _v, "supportedVersions": list(VERSIONS)}),
    ]
for _v in WITH_CHECK:
    ROWS.append(Row(f"check_{_v}_after_add_is_silent", "CHECK", _v, before="attached", calls=("CHECK",),
                    asked=_v))
for _v in BEFORE_CHECK:
    ROWS.append(Row(f"check_{_v}_is_refused", "CHECK", _v, code=1, message=("CHECK", _v), calls=()))
for _v in WITH_GC:
    ROWS += [
        Row(f"gc_{_v}_is_silent", "GC", _v, config={"cni.dev/valid-attachments": []}, calls=("GC",)),
        Row(f"gc_{_v}_takes_the_legacy_key", "GC", _v, config={"cni.dev/attachments": []}, calls=("GC",)),
        Row(f"gc_{_v}_without_a_list_does_nothing", "GC", _v, notes="valid-attachments", calls=()),
        Row(f"status_{_v}_is_silent", "STATUS", _v, calls=("STATUS",)),
    ]
for _v in BEFORE_GC:
    ROWS += [
        Row(f"gc_{_v}_is_refused", "GC", _v, config={"cni.dev/valid-attachments": []}, code=1,
            message=("GC", _v), calls=()),
        Row(f"status_{_v}_is_refused", "STATUS", _v, code=1, message=("STATUS", _v), calls=()),
    ]

# No version, or libcni's injected empty one: the oldest shape.
for _label, _value in (("absent", ABSENT), ("empty", "")):
    ROWS += [
        Row(f"add_with_{_label}_cni_version_answers_in_0.2.0", version=None,
            config={"cniVersion": _value}, ipam={"answer": ONLY_V4},
            result=add_result("0.2.0", [A4], [R4]), calls=("ADD",)),
        Row(f"del_with_{_label}_cni_version_is_silent", "DEL", None, config={"cniVersion": _value},
            calls=("DEL",)),
        Row(f"check_with_{_label}_cni_version_is_refused", "CHECK", None, config={"cniVersion": _value},
            code=1, message=("CHECK",), spoke="0.2.0"),
        Row(f"gc_with_{_label}_cni_version_is_refused", "GC", None, config={"cniVersion": _value},
            code=1, message=("GC",), spoke="0.2.0"),
        Row(f"status_with_{_label}_cni_version_is_refused", "STATUS", None, config={"cniVersion": _value},
            code=1, message=("STATUS",), spoke="0.2.0"),
    ]

for _verb in INCOMPATIBLE:
    for _v in UNSUPPORTED:
        ROWS.append(Row(f"{_verb.lower()}_with_unsupported_{_v}_names_both_sides", _verb, _v, code=1,
                        message=(_v, *VERSIONS), calls=(), spoke=NEWEST))
for _v in NOT_VERSIONS:
    ROWS.append(Row(f"add_with_version_{_v.strip()}_of_no_valid_form", "ADD", _v, code=(1, 7),
                    message=(_v,), calls=(), spoke=NEWEST))
for _value in (1, 1.1, True, ["1.0.0"], {}):
    ROWS.append(Row(f"add_with_cni_version_of_type_{type(_value).__name__}", version=None,
                    config={"cniVersion": _value}, code=(6, 7), message=("cniVersion",), calls=(),
                    spoke=NEWEST))
ROWS += [
    Row("version_with_empty_stdin_is_served", "VERSION", stdin=b"",
        result={"cniVersion": NEWEST, "supportedVersions": list(VERSIONS)}),
    Row("version_with_only_its_command_set", "VERSION", stdin=b'{"cniVersion":"1.0.0"}',
        env={name: ABSENT for name in ("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_ARGS", "CNI_PATH")},
        result={"cniVersion": "1.0.0", "supportedVersions": list(VERSIONS)}),
]
