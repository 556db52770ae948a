"""Text to statements: splitting, templates, utility statements and DDL from tokens, queries from sqlglot's parser."""
