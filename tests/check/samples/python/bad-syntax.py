def f(:  # BAD: no Python
    pass
