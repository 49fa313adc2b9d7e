# Like the entry point of the image apache/kafka: KAFKA_NODE_ID is the property node.id, and so on.
set -eu
config=/opt/kafka/config/server.properties
env | sed -n 's/^KAFKA_//p' | while IFS='=' read -r name value; do
  echo "$(echo "$name" | tr 'A-Z_' 'a-z.')=$value"
done > "$config"
java="java -Xms128m -Xmx512m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp /opt/kafka/libs/*"
set -f
$java kafka.tools.StorageTool format --cluster-id=MkU3OEVBNTcwNTJENDM2Qg --ignore-formatted --config "$config"
exec $java kafka.Kafka "$config"
