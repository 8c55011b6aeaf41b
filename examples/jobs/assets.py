import dagster as dg

import kanon_sql
from kanon_sql.errors import KanonError


@dg.asset(retry_policy=dg.RetryPolicy(max_retries=2, delay=600))
def release() -> dg.MaterializeResult:
    try:
        result = kanon_sql.run("people.yaml", report="release.json", strict=True)
    except KanonError as error:
        raise dg.Failure(str(error), allow_retries=error.exit_status in (3, 130)) from None
    return dg.MaterializeResult(metadata={"rows": result.released, "suppressed": result.suppressed})


@dg.asset_check(asset=release, blocking=True)
def is_what_was_asked_for() -> dg.AssetCheckResult:
    report = kanon_sql.check("people.yaml", "release.parquet", released=True)
    return dg.AssetCheckResult(passed=report["status"] == "satisfied", metadata={"k": report["privacy"]["k"]["actual"]})
