#!/usr/bin/env bash
# Makes patients, and lets dbt make their release, by the SQL of a finished search and by a Python model, and run the
# tests; one of them fails on purpose. Needs kanon-sql and dbt: pip install 'kanon-sql[dbt]'
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
echo "release.parquet and release_in_python.parquet are made and tested; the raw table failed its test, as it should"
