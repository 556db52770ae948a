"""Syntax trees to plans to rows: expressions, operators, writes and DDL over a ``TransactionView``.

Never bytes, keys or sockets.
"""
