"""Who may connect, and what they may do: passwords, roles, rules and the audit log. No I/O, no SQL."""
