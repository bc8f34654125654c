"""Lists the texts of Python files that a user can see, as strings.ts does for TypeScript: `FILE:LINE<tab>TEXT`."""

import ast
import sys


def texts_in(node):
    """Shows a value within an f-string as `{…}`. Leaves out docstrings and type names, which no user sees."""
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else "{…}" for part in node.values]
        yield node.lineno, "".join(parts)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value
    else:
        for child in ast.iter_child_nodes(node):
            is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            if not is_docstring:
                yield from texts_in(child)


for file in sys.argv[1:]:
    with open(file, encoding="utf-8") as source:
        for line, text in texts_in(ast.parse(source.read())):
            print(f"{file}:{line}\t{' '.join(text.split())}")
