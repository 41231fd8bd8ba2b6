"""Translated code as short texts, so that tests can say what is expected in one line."""

from promptlint.lint.flow import code
from promptlint.lint.flow.code import Expression, Function, Module, Statement
from promptlint.lint.flow.typescript import reading


def translated(source: str, path: str = "app.ts") -> str:
    """The statements of a source file, as texts."""
    return body(reading.parse(path, source).body)


def body(statements: tuple[Statement, ...]) -> str:
    return "; ".join(statement(each) for each in statements)


def statement(node: Statement) -> str:
    match node:
        case code.Assign():
            sign = "+=" if node.adds else "?=" if node.only_if_none else "="
            return f"{expression(node.target)} {sign} {'-' if node.value is None else expression(node.value)}"
        case code.Return():
            return ("return" if node.ends else "yield") + ("" if node.value is None else f" {expression(node.value)}")
        case code.Do():
            return expression(node.value)
        case code.Branch():
            test = "try" if node.test is None else f"if {expression(node.test)}"
            return f"{test} {{{body(node.then)}}} else {{{body(node.otherwise)}}}"
        case code.Loop():
            over = "" if node.target is None or node.over is None else f"{_in(node.target, node.over)} "
            return f"loop {over}{{{body(node.body)}}}"
        case code.Leave():
            return "leave" + ("" if node.value is None else f" {expression(node.value)}")
        case code.Outer():
            return f"{'global' if node.is_module else 'nonlocal'} {', '.join(node.names)}"
        case code.Define():
            return f"def {function(node.function)}"
        case code.Type():
            marks = "".join(f"@{expression(each)} " for each in node.decorators)
            return f"{marks}class {node.name}({', '.join(map(expression, node.bases))}) {{{body(node.body)}}}"
        case code.Import():
            return "import " + ", ".join(f"{each.local}={each.module}:{each.name or ''}" for each in node.names)
    raise AssertionError(node)


def _in(target: Expression, over: Expression) -> str:
    return f"{expression(target)} in {expression(over)}"


def function(node: Function) -> str:
    flags = ("is_async", "is_static", "is_getter")
    marks = "".join(f"@{expression(each)} " for each in node.decorators)
    marks += "".join(f"{flag[3:]} " for flag in flags if getattr(node, flag))
    return f"{marks}{node.name}({', '.join(map(parameter, node.parameters))}) {{{body(node.body())}}}"


def parameter(node: code.Parameter) -> str:
    name = node.name if node.pattern is None else expression(node.pattern)
    kind, type_ = ("..." if node.kind == "rest" else ""), (f": {node.type}" if node.type else "")
    return f"{kind}{name}{type_}" + ("" if node.default is None else f" = {expression(node.default)}")


def expression(node: Expression) -> str:
    match node:
        case code.Constant():
            return "none" if node.is_none else "#" if node.text is None else repr(node.text)
        case code.Name():
            return node.name
        case code.Member():
            return f"{expression(node.of)}.{node.name}"
        case code.Item():
            return f"{expression(node.of)}[{'' if node.key is None else expression(node.key)}]"
        case code.Call():
            return f"{'new ' if node.is_new else ''}{expression(node.callee)}({arguments(node.arguments)})"
        case code.Text():
            return f"text({', '.join(map(expression, node.parts))})"
        case code.Formatted():
            return f"{expression(node.value)}:{'?' if node.format is None else node.format}"
        case code.Listing():
            return f"{'set' if node.kind == 'set' else ''}[{arguments(node.items)}]"
        case code.Each():
            flat = "flat " if node.flat else ""
            return f"{node.kind}({flat}{expression(node.element)} for {_in(node.target, node.over)})"
        case code.Mapping():
            return f"{{{', '.join(map(entry, node.entries))}}}"
        case code.Choice():
            test = "" if node.test is None else f"{expression(node.test)} ? "
            return f"choice({test}{' | '.join(map(expression, node.options))})"
        case code.Lambda():
            return f"fn {function(node.function)}"
        case code.Awaited():
            return f"await {expression(node.value)}"
        case code.Operation():
            return f"{'keep' if node.keeps else 'op'}({', '.join(map(expression, node.operands))})"
        case code.Binding():
            return f"({expression(node.target)} {'?=' if node.only_if_none else ':='} {expression(node.value)})"
    raise AssertionError(node)


def arguments(given: tuple[code.Argument, ...]) -> str:
    return ", ".join(f"{'...' if each.spread else ''}{expression(each.value)}" for each in given)


def entry(node: code.Entry) -> str:
    return f"{'...' if node.key is None else expression(node.key) + ': '}{expression(node.value)}"


def everything(module: Module) -> list[tuple[object, ...]]:
    """Every node of a module, with what is in the bodies of its functions."""
    found, waiting = list[tuple[object, ...]](), [module.body]
    while waiting:
        node: tuple[object, ...] = waiting.pop()
        found.append(node)
        waiting += [each for each in node if isinstance(each, tuple)]
        if isinstance(node, Function):
            waiting.append(node.body())
    return found
