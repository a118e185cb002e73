"""BLEU by name in query engines: functions in SQL for DuckDB, a namespace of expressions for Polars.

Nothing here is imported before it is asked for, and each module needs its engine. Ray, Spark, datasets and Dask take
functions of Arrow tables; they need no module of their own, and call `fastbleu.arrow`.
"""
