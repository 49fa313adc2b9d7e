{{/*
What the services are, whatever the values: ports, whom they call, the engines that they use, the seconds that a process takes to
stop in addition to lame duck and drain (stopTimeoutMs in its server.ts), and the gauge of its calls in flight.
*/}}
{{- define "gateway.services" -}}
edge:
  ports: { api: 8080, dashboard: 8081 }
  calls: { billing: [grpc], chat: [grpc], media: [grpc], storage: [grpc], dashboard: [grpc, http] }
  stopSeconds: 10
  callsInFlight: edge_requests_in_flight
chat:
  ports: { grpc: 7103 }
  calls: { billing: [grpc], catalog: [grpc], media: [grpc], storage: [grpc], simulator: [http] }
  {{- if eq .Values.chat.journal.store "postgresql" }}
  engines: [postgresql, kafka]
  {{- else }}
  engines: [kafka]
  journalInFiles: true
  {{- end }}
  internet: true
  stopSeconds: 10
  callsInFlight: chat_calls_in_flight
media:
  ports: { grpc: 7104 }
  calls: { billing: [grpc], catalog: [grpc], simulator: [http] }
  engines: [postgresql, kafka]
  internet: true
  stopSeconds: 10
  callsInFlight: media_calls_in_flight
storage:
  ports: { grpc: 7107 }
  calls: { billing: [grpc], chat: [grpc] }
  engines: [postgresql]
  internet: {{ ne .Values.storage.files.s3.bucket "" }}
  stopSeconds: 10
billing:
  ports: { grpc: 7102 }
  engines: [postgresql, redis, kafka]
  stopSeconds: 15
catalog:
  ports: { grpc: 7101 }
  engines: [postgresql]
  internet: true
  stopSeconds: 15
dashboard:
  ports: { grpc: 7106, http: 7105 }
  calls: { billing: [grpc], catalog: [grpc], chat: [grpc], media: [grpc] }
  engines: [postgresql]
  internet: true
  stopSeconds: 15
simulator:
  ports: { http: 7199 }
  stopSeconds: 15
{{- end }}

{{/* The services of this release, as `gateway.installation` describes them: all of these, but in a cell other than home billing only. */}}
{{- define "gateway.enabled" -}}
{{- $services := include "gateway.installation" . | fromYaml }}
{{- if .Values.cell }}{{ $services = pick $services "billing" }}{{ end }}
{{- toYaml $services }}
{{- end }}

{{/*
The services of the gateway that are enabled, each with its values merged over the defaults, its calls reduced to enabled services, and
whether it finds them by EndpointSlices.
*/}}
{{- define "gateway.installation" -}}
{{- $all := include "gateway.services" . | fromYaml }}
{{- $enabled := dict }}
{{- range $name, $facts := $all }}
{{- $values := mergeOverwrite (deepCopy $.Values.defaults) (deepCopy (index $.Values $name)) }}
{{- if not (and (hasKey $values "enabled") (not $values.enabled)) }}
{{- $_ := set $enabled $name (dict "name" $name "facts" $facts "values" $values) }}
{{- end }}
{{- end }}
{{- range $name, $service := $enabled }}
{{- $calls := dict }}
{{- range $callee, $ports := $service.facts.calls }}
{{- if hasKey $enabled $callee }}{{ $_ := set $calls $callee $ports }}{{ end }}
{{- end }}
{{- $_ := set $service "calls" $calls }}
{{- $_ := set $service "readsEndpointSlices" (and (eq $.Values.discovery "endpointslices") (gt (len $calls) 0)) }}
{{- end }}
{{- toYaml $enabled }}
{{- end }}

{{/* Where callers find the instances of a service. Argument: (list root callee). */}}
{{- define "gateway.grpcAddress" -}}
{{- $root := index . 0 }}
{{- $callee := index . 1 }}
{{- if eq $root.Values.discovery "endpointslices" }}
{{- printf "k8s://%s/%s-%s:grpc" $root.Release.Namespace (include "gateway.fullname" $root) $callee }}
{{- else }}
{{- printf "%s:%v" (include "gateway.host" .) (get (include "gateway.services" $root | fromYaml) $callee).ports.grpc }}
{{- end }}
{{- end }}

{{/* The pairs {caller, callee} of enabled services that share a secret, of all cells. */}}
{{- define "gateway.pairs" -}}
{{- $pairs := list }}
{{- range $caller, $service := include "gateway.installation" . | fromYaml }}
{{- range $callee := keys ($service.calls | default dict) | sortAlpha }}
{{- if ne $callee "simulator" }}{{ $pairs = append $pairs (dict "caller" $caller "callee" $callee) }}{{ end }}
{{- end }}
{{- end }}
{{- toYaml $pairs }}
{{- end }}

{{/* The key of a pair's secret. Argument: (list root pair). */}}
{{- define "gateway.pairKey" -}}
{{- $pair := index . 1 }}
{{- (index . 0).Values.secrets.keys.serviceSecret | replace "{caller}" $pair.caller | replace "{callee}" $pair.callee }}
{{- end }}

{{/* Seconds from SIGTERM until the process has certainly ended, preStop and a margin included. */}}
{{- define "gateway.graceSeconds" -}}
{{- $v := .values }}
{{- add (int ($v.preStopSeconds | default 0)) (int ($v.lameDuckSeconds | default 0)) (int ($v.drainSeconds | default 0)) (int .facts.stopSeconds) (int $v.terminationMarginSeconds) }}
{{- end }}
