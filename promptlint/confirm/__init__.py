"""Running a model, or asking a server, with and without the cached prefix. The only package that imports torch."""
