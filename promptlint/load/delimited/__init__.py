"""What is known of a template in Handlebars, Mustache, Liquid, Go, ERB, POML, string.Template or str.format.

None of them is rendered, and nothing in them is executed.
"""

from promptlint.template import Template


def read_delimited(name: str, text: str, language: str, begin: int = 0) -> Template:
    """The parts of `text[begin:]`, in the order in which they are printed; ranges count from the start of the text.

    `language`: a key of data/template_languages.yaml. Literal text, the holes, tags and comments cover the text but for
    the white space that tags take away. Raises PromptlintError with line and column for what is not closed.
    """
    from promptlint.load.delimited.languages import language as row_of
    from promptlint.load.delimited.reading import read

    return read(name, text, row_of(language), begin)
