import os  # BAD: unused
import sys
import requests  # BAD: not of the standard library


def f():
	return undefined + sys.argv + requests.get  # BAD: a tab, and an undefined name
