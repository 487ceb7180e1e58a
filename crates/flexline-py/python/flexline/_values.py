"""Values of numpy as those that a scene file has."""


def plain(value):
    """What ``json`` does not know: arrays and numbers of numpy, paths."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    raise TypeError(f"a scene file has no place for a {type(value).__name__}: {value!r}")
