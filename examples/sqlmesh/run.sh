#!/usr/bin/env bash
# Makes patients, searches, and lets SQLMesh make the release and audit it. Then an audit that fails on purpose: the raw
# table is not 5-anonymous. Needs kanon-sql and SQLMesh: pip install 'kanon-sql[sqlmesh]'
set -euo pipefail
cd "$(dirname "$0")"
export SQLMESH__DISABLE_ANONYMIZED_ANALYTICS=true
python -c "import duckdb, pathlib; duckdb.sql(pathlib.Path('make_patients.sql').read_text())"
rm -f warehouse.duckdb models/patients_release.sql audits/kanon_sql.sql models/fails_on_purpose.sql
kanon-sql sqlmesh compile kanon-sql.yaml --name hospital.patients_release --relation hospital.patients
sqlmesh plan --auto-apply --no-prompts
cat > models/fails_on_purpose.sql <<'SQL'
MODEL (
  name hospital.fails_on_purpose,
  kind FULL,
  audits (k_anonymous(quasi_identifiers := [sex, age, zip], k := 5))
);

SELECT sex, age, zip, diagnosis FROM hospital.patients
SQL
if sqlmesh plan --auto-apply --no-prompts > fails_on_purpose.log; then
    echo "the audit of the raw table should have failed" >&2
    exit 1
fi
grep "audit error" fails_on_purpose.log
rm -f models/fails_on_purpose.sql fails_on_purpose.log
echo "hospital.patients_release is made and audited; the raw table failed its audit, as it should"
