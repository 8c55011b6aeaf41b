def model(dbt, session):
    """The release, searched anew at each run by the same configuration, in dbt's own process."""
    from kanon_sql.dbt import anonymize

    dbt.config(materialized="external", location="release_in_python.parquet", format="parquet")
    return anonymize(dbt, session, dbt.source("raw", "patients"), "config.yaml")
