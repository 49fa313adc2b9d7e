{{/*
The environment of a service. `gateway.settings` has what may be read by everyone, `gateway.secretSettings` what comes from Secrets:
{secret, key} by the name of the setting. Argument of both: (list root service).
*/}}
{{- define "gateway.settings" -}}
{{- $root := index . 0 }}
{{- $service := index . 1 }}
{{- $v := $root.Values }}
{{- $own := $service.values }}
{{- $settings := dict "ADMIN_PORT" "7190" "BIND_HOST" $v.bindHost }}
{{- if and $v.tls.secretName (ne $service.name "simulator") }}
{{- $_ := set $settings "GRPC_TLS_CERT_FILE" "/tls/tls.crt" }}
{{- $_ := set $settings "GRPC_TLS_KEY_FILE" "/tls/tls.key" }}
{{- $_ := set $settings "GRPC_TLS_CA_FILE" "/tls/ca.crt" }}
{{- $_ := set $settings "GRPC_TLS_IDENTITY" $v.tls.identity }}
{{- end }}
{{- range $callee, $ports := $service.calls }}
{{- if has "grpc" $ports }}
{{- $_ := set $settings (printf "%s_ADDR" (upper $callee)) (include "gateway.grpcAddress" (list $root $callee)) }}
{{- end }}
{{- end }}
{{- if hasKey ($service.calls | default dict) "billing" }}
{{- with $v.cells }}
{{- $_ := set $settings "CELLS" (keys . | sortAlpha | join ",") }}
{{- range $name, $cell := . }}
{{- $_ := set $settings (printf "BILLING_ADDR_%s" (upper $name)) (include "gateway.cellBillingAddress" (list $root $cell)) }}
{{- if and $cell.kafkaBrokers (has "kafka" ($service.facts.engines | default list)) }}
{{- $_ := set $settings (printf "KAFKA_BROKERS_%s" (upper $name)) (join "," $cell.kafkaBrokers) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- if has "kafka" ($service.facts.engines | default list) }}
{{- with include "gateway.kafkaBrokers" $root }}
{{- $_ := set $settings "KAFKA_BROKERS" . }}
{{- with $v.kafka.topicPrefix }}{{ $_ := set $settings "KAFKA_TOPIC_PREFIX" . }}{{ end }}
{{- end }}
{{- end }}
{{- if has $service.name (list "media" "storage" "dashboard") }}
{{- $_ := set $settings "PUBLIC_API_URL" (required "publicApiUrl is required: the origin of the API as clients reach it" $v.publicApiUrl) }}
{{- end }}
{{- if has $service.name (list "chat" "media" "storage") }}
{{- $_ := set $settings "DRAIN_TIMEOUT_MS" (mul 1000 $own.drainSeconds) }}
{{- end }}
{{- if eq $service.name "edge" }}
{{- $_ := set $settings "EDGE_LAME_DUCK_MS" (mul 1000 $own.lameDuckSeconds) }}
{{- $_ := set $settings "EDGE_STOP_GRACE_MS" (mul 1000 $own.drainSeconds) }}
{{- $_ := set $settings "DASHBOARD_HTTP_URL" (printf "%s://%s:7105" (ternary "https" "http" (ne $v.tls.secretName "")) (include "gateway.host" (list $root "dashboard-http"))) }}
{{- with $own.trustedProxies }}{{ $_ := set $settings "EDGE_TRUSTED_PROXIES" (join "," .) }}{{ end }}
{{- else if eq $service.name "chat" }}
{{- if $service.facts.journalInFiles }}{{ $_ := set $settings "DATA_DIR" "/data" }}{{ end }}
{{- /* A shutdown waits for abandoned calls too. */}}
{{- $_ := set $settings "ABANDONED_CALL_TIMEOUT_MS" (mul 900 $own.drainSeconds) }}
{{- if not $v.storage.enabled }}{{ $_ := set $settings "STORED_RESPONSES" "off" }}{{ end }}
{{- else if eq $service.name "media" }}
{{- $_ := set $settings "UPLOAD_DIR" "/uploads" }}
{{- else if eq $service.name "storage" }}
{{- with $own.files.s3 }}
{{- if .bucket }}
{{- $_ := set $settings "FILE_S3_BUCKET" .bucket }}
{{- $_ := set $settings "FILE_S3_REGION" .region }}
{{- $_ := set $settings "FILE_S3_PATH_STYLE" (ternary "on" "off" .pathStyle) }}
{{- with .endpoint }}{{ $_ := set $settings "FILE_S3_ENDPOINT" . }}{{ end }}
{{- with .prefix }}{{ $_ := set $settings "FILE_S3_PREFIX" . }}{{ end }}
{{- else }}
{{- $_ := set $settings "FILE_DIR" "/files" }}
{{- end }}
{{- end }}
{{- else if eq $service.name "dashboard" }}
{{- with $v.admin.email }}{{ $_ := set $settings "ADMIN_EMAIL" . }}{{ end }}
{{- with $v.registration }}{{ $_ := set $settings "REGISTRATION" . }}{{ end }}
{{- with $v.newAccountCells }}{{ $_ := set $settings "NEW_ACCOUNT_CELLS" (join "," .) }}{{ end }}
{{- else if eq $service.name "billing" }}
{{- with $v.cell }}{{ $_ := set $settings "CELL" . }}{{ end }}
{{- end }}
{{- if has $service.name (list "chat" "media") }}
{{- $providers := get $v.providers $service.name }}
{{- if $v.simulator.enabled }}
{{- $_ := set $settings "ALLOW_SIMULATOR" "1" }}
{{- $_ := set $settings "SIM_BASE_URL" (printf "http://%s:7199%s" (include "gateway.host" (list $root "simulator")) (ternary "/openai/v1" "" (eq $service.name "chat"))) }}
{{- $simulated := ternary (list "openai" "anthropic" "google" "deepseek" "mistral" "xai") (list "openai" "google" "mistral" "bfl" "minimax" "kling" "alibaba") (eq $service.name "chat") }}
{{- range $simulated }}
{{- if not (has . $providers) }}
{{- range include "gateway.providerKeys" . | fromYamlArray }}{{ $_ := set $settings . "simulated" }}{{ end }}
{{- end }}
{{- end }}
{{- $providers = concat $providers $simulated | uniq }}
{{- end }}
{{- /* The comma keeps the setting from being empty, which would mean every provider. */}}
{{- $_ := set $settings (printf "%s_PROVIDERS" (upper $service.name)) (printf "%s," (join "," $providers)) }}
{{- end }}
{{- range $name, $value := merge (deepCopy $own.env) $v.env }}
{{- if has $name (list "ADMIN_PORT" "GRPC_PORT" "HTTP_PORT" "EDGE_API_PORT" "EDGE_DASHBOARD_PORT" "EDGE_LAME_DUCK_MS" "EDGE_STOP_GRACE_MS" "DRAIN_TIMEOUT_MS" "DATA_DIR" "UPLOAD_DIR") }}
{{- fail (printf "env.%s: probes, ports, volumes and the grace period depend on this setting; use the chart's values, such as %s.drainSeconds" $name $service.name) }}
{{- end }}
{{- $_ := set $settings $name $value }}
{{- end }}
{{- range $name, $value := $settings }}
{{- /* A number that came through YAML or JSON is a float, which would print as 6e+05. */}}
{{ $name }}: {{ ternary (int64 $value) $value (and (kindIs "float64" $value) (eq (float64 (int64 $value)) (float64 $value))) | toString | quote }}
{{- end }}
{{- end }}

{{/* Names of the settings with a provider's keys. Argument: the provider's id in CHAT_PROVIDERS or MEDIA_PROVIDERS. */}}
{{- define "gateway.providerKeys" -}}
{{- if eq . "kling" }}{{ list "KLING_ACCESS_KEY" "KLING_SECRET_KEY" | toYaml }}
{{- else }}{{ list (printf "%s_API_KEY" (get (dict "google" "GEMINI" "alibaba" "DASHSCOPE") . | default (upper .))) | toYaml }}
{{- end }}
{{- end }}

{{- define "gateway.secretSettings" -}}
{{- $root := index . 0 }}
{{- $service := index . 1 }}
{{- $v := $root.Values }}
{{- $refs := dict }}
{{- $needed := dict "edge" (list) "chat" (list "credentialsKey") "media" (list "credentialsKey") "catalog" (list "credentialsKey") "storage" (list "storageKey") "billing" (list "keyPepper") "dashboard" (list "jwtSigningKey") }}
{{- if hasKey $needed $service.name }}
{{- range get $needed $service.name }}
{{- $_ := set $refs (snakecase . | upper) (dict "secret" (include "gateway.secretName" $root) "key" (get $v.secrets.keys .)) }}
{{- end }}
{{- end }}
{{- if has $service.name (list "chat" "media" "dashboard") }}
{{- $_ := set $refs "SIGNING_SECRET" (dict "secret" (include "gateway.secretName" $root) "key" ($v.secrets.keys.signingSecret | replace "{service}" $service.name)) }}
{{- end }}
{{- if not $v.tls.secretName }}
{{- range include "gateway.pairs" $root | fromYamlArray }}
{{- if has $service.name (list .caller .callee) }}
{{- $_ := set $refs (printf "SERVICE_SECRET_%s_TO_%s" .caller .callee | upper) (dict "secret" (include "gateway.secretName" $root) "key" (include "gateway.pairKey" (list $root .))) }}
{{- end }}
{{- end }}
{{- end }}
{{- if has "postgresql" ($service.facts.engines | default list) }}
{{- $_ := set $refs "DATABASE_URL" (dict "secret" (include "gateway.postgresqlSecret" $root) "key" (get $v.postgresql.keys $service.name)) }}
{{- end }}
{{- if eq $service.name "billing" }}
{{- if $v.redis.bundled.enabled }}
{{- $_ := set $refs "REDIS_URL" (dict "secret" (printf "%s-redis" (include "gateway.fullname" $root)) "key" $v.redis.key) }}
{{- else if $v.redis.existingSecret }}
{{- $_ := set $refs "REDIS_URL" (dict "secret" $v.redis.existingSecret "key" $v.redis.key) }}
{{- end }}
{{- else if and (eq $service.name "dashboard") $v.admin.email }}
{{- $_ := set $refs "ADMIN_PASSWORD" (dict "secret" (include "gateway.secretName" $root) "key" $v.secrets.keys.adminPassword) }}
{{- else if eq $service.name "storage" }}
{{- with $service.values.files.s3 }}
{{- if and .bucket .existingSecret }}
{{- $_ := set $refs "FILE_S3_ACCESS_KEY_ID" (dict "secret" .existingSecret "key" .accessKeyIdKey) }}
{{- $_ := set $refs "FILE_S3_SECRET_ACCESS_KEY" (dict "secret" .existingSecret "key" .secretAccessKeyKey) }}
{{- end }}
{{- end }}
{{- else if has $service.name (list "chat" "media") }}
{{- range get $v.providers $service.name }}
{{- range include "gateway.providerKeys" . | fromYamlArray }}
{{- $_ := set $refs . (dict "secret" (required "providers.existingSecret is required with providers.chat or providers.media" $v.providers.existingSecret) "key" .) }}
{{- end }}
{{- end }}
{{- end }}
{{- toYaml $refs }}
{{- end }}

{{- define "gateway.env" -}}
{{- $settings := include "gateway.settings" . | fromYaml }}
{{- range $name, $value := $settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $ref := include "gateway.secretSettings" . | fromYaml }}
{{- if hasKey $settings $name }}{{ fail (printf "env.%s: this setting comes from a Secret" $name) }}{{ end }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $ref.secret }}, key: {{ $ref.key }} }
{{- end }}
{{- if and (index . 1).readsEndpointSlices (not (hasKey $settings "ZONE")) }}
{{- /* Kubernetes copies this label of the node to its pods since 1.35. Before, it is empty, and pods of all zones are called alike. */}}
- name: ZONE
  valueFrom:
    fieldRef: { fieldPath: "metadata.labels['topology.kubernetes.io/zone']" }
{{- end }}
{{- with (index . 1).values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/*
Changes when a Secret that the service reads has changed since the last upgrade. Without those that the chart generates: it never
changes them. Argument: (list root service).
*/}}
{{- define "gateway.secretsChecksum" -}}
{{- $root := index . 0 }}
{{- $fullname := include "gateway.fullname" $root }}
{{- $data := dict }}
{{- range $setting, $ref := include "gateway.secretSettings" . | fromYaml }}
{{- if not (has $ref.secret (list (printf "%s-secrets" $fullname) (printf "%s-postgresql" $fullname) (printf "%s-redis" $fullname))) }}
{{- $secret := lookup "v1" "Secret" $root.Release.Namespace $ref.secret }}
{{- $_ := set $data $setting (get ($secret.data | default dict) $ref.key) }}
{{- end }}
{{- end }}
{{- toJson $data | sha256sum }}
{{- end }}
