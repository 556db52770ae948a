"""Values of one row per declared relation of the newest version, pinned: (relation, row with its ctid, hex).

The bytes are the envelope, then each field's tag and content in the order of field numbers, then the ctid
(tag c0a907, the varint of 65537 + n). ``test_generated_files`` reads them with the message that protoc compiles.
"""

from __future__ import annotations

from rocklake_server.schema.types import Value

GOLDEN_VALUES: tuple[tuple[str, tuple[Value, ...], str], ...] = (
    (
        "ducklake_metadata",
        ("key", "value", "scope", 300, 65537),
        "0153444b56"
        "0a036b6579120576616c75651a0573636f706520ac02c0a907818004",
    ),
    (
        "ducklake_snapshot",
        (1, -1001, 201, 301, 401, 65538),
        "0153444b56"
        "08011097f8ffffffffffffff0118c90120ad02289103c0a907828004",
    ),
    (
        "ducklake_snapshot_changes",
        (2, "change", None, "commit", "commit", 65539),
        "0153444b56"
        "080212066368616e67652206636f6d6d69742a06636f6d6d6974c0a907838004",
    ),
    (
        "ducklake_schema",
        (3, bytes(range(3, 19)), 203, None, "schema", "path", True, 65540),
        "0153444b56"
        "08031210030405060708090a0b0c0d0e0f10111218cb012a06736368656d613204706174683801c0a907848004",
    ),
    (
        "ducklake_table",
        (4, bytes(range(4, 20)), 204, None, 404, "table_", "path", True, 65541),
        "0153444b56"
        "080412100405060708090a0b0c0d0e0f1011121318cc0128940332067461626c655f3a04706174684001c0a907858004",
    ),
    (
        "ducklake_column",
        (5, 105, None, 305, 405, "column", "column", "initia", "defaul", False, 1005, "defaul", "defaul",
         65542),
        "0153444b56"
        "0805106920b1022895033206636f6c756d6e3a06636f6c756d6e4206696e697469614a0664656661756c500058ed0762"
        "0664656661756c6a0664656661756cc0a907868004",
    ),
    (
        "ducklake_view",
        (6, bytes(range(6, 22)), 206, None, 406, "view_n", "dialec", "sql", "column", 65543),
        "0153444b56"
        "08061210060708090a0b0c0d0e0f10111213141518ce012896033206766965775f6e3a066469616c6563420373716c4a"
        "06636f6c756d6ec0a907878004",
    ),
    (
        "ducklake_macro",
        (7, 107, "macro_", 307, None, 65544),
        "0153444b56"
        "0807106b1a066d6163726f5f20b302c0a907888004",
    ),
    (
        "ducklake_macro_impl",
        (8, 108, "dialec", "sql", "type", 65545),
        "0153444b56"
        "0808106c1a066469616c6563220373716c2a0474797065c0a907898004",
    ),
    (
        "ducklake_macro_parameters",
        (9, 109, 209, "parame", "parame", "defaul", "defaul", 65546),
        "0153444b56"
        "0809106d18d1012206706172616d652a06706172616d65320664656661756c3a0664656661756cc0a9078a8004",
    ),
    (
        "ducklake_data_file",
        (10, 110, 210, None, 410, "path", False, "file_f", 810, 910, 1010, 1110, 1210, None, 1410, None,
         1610, 65547),
        "0153444b56"
        "080a106e18d201289a033204706174683800420666696c655f6648aa06508e0758f20760d60868ba0978820b8801ca0c"
        "c0a9078b8004",
    ),
    (
        "ducklake_delete_file",
        (11, 111, 211, None, 411, "path", True, "format", 811, 911, 1011, None, None, 1311, 65548),
        "0153444b56"
        "080b106f18d301289b0332047061746838014206666f726d617448ab06508f0758f307709f0ac0a9078c8004",
    ),
    (
        "ducklake_files_scheduled_for_deletion",
        (12, "path", False, -3001, 65549),
        "0153444b56"
        "080c120470617468180020c7e8ffffffffffffff01c0a9078d8004",
    ),
    (
        "ducklake_inlined_data_tables",
        (13, "table_", 213, 65550),
        "0153444b56"
        "080d12067461626c655f18d501c0a9078e8004",
    ),
    (
        "ducklake_column_mapping",
        (14, 114, "type", 65551),
        "0153444b56"
        "080e10721a0474797065c0a9078f8004",
    ),
    (
        "ducklake_name_mapping",
        (15, 115, "source", 315, 415, False, 65552),
        "0153444b56"
        "080f10731a06736f7572636520bb02289f033000c0a907908004",
    ),
    (
        "ducklake_table_stats",
        (16, 116, 216, 316, 65553),
        "0153444b56"
        "0810107418d80120bc02c0a907918004",
    ),
    (
        "ducklake_table_column_stats",
        (17, 117, True, None, "min_va", "max_va", None, False, True, 65554),
        "0153444b56"
        "0811107518012a066d696e5f766132066d61785f766140004801c0a907928004",
    ),
    (
        "ducklake_file_column_stats",
        (18, 118, 218, 318, 418, 518, "min_va", "max_va", None, None, 65555),
        "0153444b56"
        "0812107618da0120be0228a2033086043a066d696e5f766142066d61785f7661c0a907938004",
    ),
    (
        "ducklake_file_variant_stats",
        (19, 119, 219, "varian", "shredd", 519, 619, 719, "min_va", "max_va", None, None, 65556),
        "0153444b56"
        "0813107718db01220676617269616e2a0673687265646430870438eb0440cf054a066d696e5f766152066d61785f7661"
        "c0a907948004",
    ),
    (
        "ducklake_partition_info",
        (20, 120, 220, None, 65557),
        "0153444b56"
        "0814107818dc01c0a907958004",
    ),
    (
        "ducklake_partition_column",
        (21, 121, 221, 321, "transf", 65558),
        "0153444b56"
        "0815107918dd0120c1022a067472616e7366c0a907968004",
    ),
    (
        "ducklake_file_partition_value",
        (22, 122, 222, "partit", 65559),
        "0153444b56"
        "0816107a18de012206706172746974c0a907978004",
    ),
    (
        "ducklake_sort_info",
        (23, 123, 223, None, 65560),
        "0153444b56"
        "0817107b18df01c0a907988004",
    ),
    (
        "ducklake_sort_expression",
        (24, 124, 224, "expres", "dialec", "sort_d", "null_o", 65561),
        "0153444b56"
        "0818107c18e00122066578707265732a066469616c65633206736f72745f643a066e756c6c5f6fc0a907998004",
    ),
    (
        "ducklake_tag",
        (25, 125, None, "key", "value", 65562),
        "0153444b56"
        "0819107d22036b65792a0576616c7565c0a9079a8004",
    ),
    (
        "ducklake_column_tag",
        (26, 126, 226, None, "key", "value", 65563),
        "0153444b56"
        "081a107e18e2012a036b6579320576616c7565c0a9079b8004",
    ),
    (
        "ducklake_schema_versions",
        (27, 127, 227, 65564),
        "0153444b56"
        "081b107f18e301c0a9079c8004",
    ),
    (
        "ducklake_view_column_tag",
        (28, "column", 228, None, "key", "value", 65565),
        "0153444b56"
        "081c1206636f6c756d6e18e4012a036b6579320576616c7565c0a9079d8004",
    ),
)
