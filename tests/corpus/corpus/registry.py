"""The named cases. A case is a function that returns the file's bytes, or writes them itself where they have holes."""

CASES = {}


def case(name):
    def register(function):
        add(name, function)
        return function

    return register


def add(name, function):
    assert name not in CASES, name
    CASES[name] = function


def simple(**cases):
    """name_with_underscores=bytes or function: the file name-with-underscores.tar."""
    for name, content in cases.items():
        add(name.replace("_", "-") + ".tar", content if callable(content) else (lambda fixed=content: fixed))
