import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

print(sys.argv, jsonschema, """
	a tab in a string
""")
