"""From the text of a kernel to machine code, for all of the package: no backend is needed.

`operator_source` finds the text of a user's function, `prelude` puts casts around it, `modules` makes
modules of such a text and a kernel's own, `caching` keeps their machine code in the files of
`kernel_folder`. `bits`, `casting` and `binary_search` are what kernels call.
"""
