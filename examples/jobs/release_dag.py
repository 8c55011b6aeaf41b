import subprocess
from datetime import timedelta

from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowFailException

RUN = ["kanon-sql", "run", "people.yaml", "--strict", "--quiet", "--report", "release.json"]


@dag(schedule="0 3 * * *", catchup=False)
def people():
    @task(retries=2, retry_delay=timedelta(minutes=10))
    def release():
        ended = subprocess.run(RUN, check=False, stderr=subprocess.PIPE, text=True)
        if ended.returncode in (3, 130):
            raise RuntimeError(ended.stderr)  # a disk, a database, the time, a signal: tried again
        if ended.returncode:
            raise AirflowFailException(ended.stderr)  # the same rows would end so again

    release()


people()
