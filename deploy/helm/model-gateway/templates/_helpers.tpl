{{- define "gateway.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Labels that select pods. Argument: (list root component). */}}
{{- define "gateway.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ default $root.Chart.Name $root.Values.nameOverride }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "gateway.labels" -}}
{{- $root := index . 0 -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version }}
{{- end }}

{{/* Argument: (list root service). */}}
{{- define "gateway.image" -}}
{{- $root := index . 0 }}
{{- $service := index . 1 }}
{{- $image := $service.values.image }}
{{- $path := $image.repository | default (printf "%s/%s" $root.Values.image.repository $service.name) }}
{{- with $root.Values.image.registry }}{{ $path = printf "%s/%s" . $path }}{{ end }}
{{- if $image.digest }}{{ printf "%s@%s" $path $image.digest }}
{{- else }}{{ printf "%s:%s" $path ($image.tag | default $root.Values.image.tag | default $root.Chart.AppVersion) }}
{{- end }}
{{- end }}

{{/* Argument: (list root service). */}}
{{- define "gateway.serviceAccountName" -}}
{{- $service := index . 1 }}
{{- $account := $service.values.serviceAccount }}
{{- $account.name | default (ternary (printf "%s-%s" (include "gateway.fullname" (index . 0)) $service.name) "default" $account.create) }}
{{- end }}

{{- define "gateway.secretName" -}}
{{- .Values.secrets.existingSecret | default (printf "%s-secrets" (include "gateway.fullname" .)) }}
{{- end }}

{{- define "gateway.postgresqlSecret" -}}
{{- if .Values.postgresql.bundled.enabled }}{{ printf "%s-postgresql" (include "gateway.fullname" .) }}
{{- else }}{{ required "postgresql.existingSecret is required: a Secret with the URLs of PostgreSQL (or postgresql.bundled.enabled for a trial)" .Values.postgresql.existingSecret }}
{{- end }}
{{- end }}

{{/* Fails if an engine is bundled although an external one is named. */}}
{{- define "gateway.checkEngines" -}}
{{- range $engine, $external := dict "postgresql" "existingSecret" "redis" "existingSecret" "kafka" "brokers" }}
{{- $values := get $.Values $engine }}
{{- if and $values.bundled.enabled (get $values $external) }}
{{- fail (printf "%s.bundled.enabled and %s.%s: only one of them" $engine $engine $external) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Host of a peer with the complete domain. Argument: (list root name). */}}
{{- define "gateway.host" -}}
{{- $root := index . 0 }}
{{- printf "%s-%s.%s.svc.%s" (include "gateway.fullname" $root) (index . 1) $root.Release.Namespace $root.Values.clusterDomain }}
{{- end }}

{{- define "gateway.kafkaBrokers" -}}
{{- if .Values.kafka.bundled.enabled }}{{ include "gateway.host" (list . "kafka") }}:9092{{ else }}{{ join "," .Values.kafka.brokers }}{{ end }}
{{- end }}

{{/*
Data of a generated Secret: values that the cluster has are kept. Argument: (list root name values), where values maps keys to
fresh values. Without a cluster, as in `helm template`, every rendering has fresh ones.
*/}}
{{- define "gateway.keptData" -}}
{{- $root := index . 0 }}
{{- $kept := (lookup "v1" "Secret" $root.Release.Namespace (index . 1)).data | default dict }}
{{- $data := dict }}
{{- range $key, $fresh := index . 2 }}
{{- $_ := set $data $key (get $kept $key | default ($fresh | b64enc)) }}
{{- end }}
{{- toYaml $data }}
{{- end }}
