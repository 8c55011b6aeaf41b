#!/usr/bin/env bash
# Makes patients, searches, and lets dbt make the release and run the tests; one of them fails on purpose.
set -euo pipefail
cd "$(dirname "$0")"
export DBT_PROFILES_DIR=. DBT_SEND_ANONYMOUS_USAGE_STATS=false DO_NOT_TRACK=1
KANON_SQL_DBT=$(kanon-sql dbt path)
export KANON_SQL_DBT
python -c "import duckdb, pathlib; duckdb.sql(pathlib.Path('make_patients.sql').read_text())"
rm -f seeds/patients_release_* models/patients_release.*
kanon-sql dbt compile config.yaml --name patients_release --relation "source('raw', 'patients')"
dbt deps --quiet
dbt build --exclude fails_on_purpose
if dbt test --select fails_on_purpose; then
    echo "the test of the raw table should have failed" >&2
    exit 1
fi
echo "release.parquet is made and tested; the raw table failed its test, as it should"
