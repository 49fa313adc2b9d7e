#!/bin/bash
# The broker listens when it is ready. Kafka's own tool is not among the jars.
exec 3<> /dev/tcp/localhost/9092
