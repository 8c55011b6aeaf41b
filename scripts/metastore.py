"""A metastore of Hive on the loopback interface: a catalogue that sessions of Spark share, with a database of its own.

    python scripts/metastore.py FOLDER PORT

`scripts/spark-cluster --catalog` starts it. It is made of what PySpark brings; Hive's own command would listen on every
interface.
"""

from __future__ import annotations

import sys
from typing import Any


def serve(folder: str, port: int) -> None:
    """Serves until the process ends; says so on standard output once it listens."""
    from pyspark import SparkConf
    from pyspark.java_gateway import launch_gateway

    java: Any = launch_gateway(SparkConf(False).set("spark.driver.memory", "512m")).jvm
    settings = {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:;databaseName={folder}/metastore;create=true",
        "hive.metastore.schema.verification": "false",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.warehouse.dir": f"{folder}/warehouse",
    }
    configuration = java.org.apache.hadoop.hive.conf.HiveConf()
    for key, value in settings.items():
        configuration.set(key, value)
    hive, thrift = java.org.apache.hadoop.hive.metastore, java.org.apache.thrift
    base = getattr(hive, "HiveMetaStore$HMSHandler")("all", configuration, False)
    processor = hive.TSetIpAddressProcessor(hive.HiveMetaStore.newRetryingHMSHandler(base, configuration, True))
    socket = thrift.transport.TServerSocket(java.java.net.InetSocketAddress("127.0.0.1", port))
    served = getattr(thrift.server, "TThreadPoolServer$Args")(socket).processor(processor)
    served = served.transportFactory(thrift.transport.TTransportFactory())
    served = served.protocolFactory(getattr(thrift.protocol, "TBinaryProtocol$Factory")())
    print("serving", flush=True)
    thrift.server.TThreadPoolServer(served).serve()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
