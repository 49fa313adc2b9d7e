{{/*
Cells divide the accounts (docs/scaling.md). The release without `cell` is home: it has all services, and those that call billing know
the other cells by `cells`. The release of another cell has billing only, which is called by home's services.
*/}}

{{/* Fails if the values of a release belong to the other kind of release, or contradict each other. */}}
{{- define "gateway.checkCells" -}}
{{- $v := .Values }}
{{- range compact (append (keys $v.cells | sortAlpha) $v.cell) }}
{{- if or (eq . "home") (not (regexMatch "^[a-z][a-z0-9]{0,30}$" .)) }}
{{- fail (printf "cell %s: the name is a lower-case letter, then up to 30 of them and digits; not home" .) }}
{{- end }}
{{- end }}
{{- if $v.cell }}
{{- $ofHome := dict "cells" $v.cells "newAccountCells" $v.newAccountCells "ingress.enabled" $v.ingress.enabled "httpRoute.enabled" $v.httpRoute.enabled "simulator.enabled" $v.simulator.enabled }}
{{- range $name, $value := $ofHome }}
{{- if $value }}{{ fail (printf "%s: a value of home's release, but cell is %s" $name $v.cell) }}{{ end }}
{{- end }}
{{- if not $v.secrets.existingSecret }}
{{- fail (printf "secrets.existingSecret is required in the cell %s: a Secret with home's %s and, without TLS, %s of each caller" $v.cell $v.secrets.keys.keyPepper ($v.secrets.keys.serviceSecret | replace "{callee}" "billing")) }}
{{- end }}
{{- if and $v.networkPolicy.enabled (not $v.home.release) (not $v.networkPolicy.homeFrom) }}
{{- fail (printf "home.release is required in the cell %s: the release whose services call this billing (or networkPolicy.homeFrom, if it is in another cluster)" $v.cell) }}
{{- end }}
{{- else if or $v.home.release $v.home.namespace }}
{{- fail "home.release and home.namespace: set cell too; without it, this release is home" }}
{{- end }}
{{- if and $v.kafka.bundled.enabled (or $v.cell $v.cells) }}
{{- fail "kafka.bundled.enabled: the bundled broker is for its own release, and cells need brokers that home and the cell reach; set kafka.brokers, or leave out Kafka in both" }}
{{- end }}
{{- range $name, $cell := $v.cells }}
{{- if not (or $cell.release $cell.billingAddress) }}
{{- fail (printf "cells.%s: set release, or billingAddress if the cell is in another cluster" $name) }}
{{- end }}
{{- if and $cell.namespace (not $cell.release) }}
{{- fail (printf "cells.%s.namespace: set release too" $name) }}
{{- end }}
{{- if and $cell.kafkaBrokers (not $v.kafka.brokers) }}
{{- fail (printf "cells.%s.kafkaBrokers: set kafka.brokers too; without them, usage events of all cells go over gRPC" $name) }}
{{- end }}
{{- end }}
{{- range $v.newAccountCells }}
{{- if not (or (eq . "home") (hasKey $v.cells .)) }}{{ fail (printf "newAccountCells: %s is neither home nor in cells" .) }}{{ end }}
{{- end }}
{{- end }}

{{/* Address of a cell's billing. Argument: (list root cell). */}}
{{- define "gateway.cellBillingAddress" -}}
{{- $root := index . 0 }}
{{- $cell := index . 1 }}
{{- if $cell.billingAddress }}{{ $cell.billingAddress }}
{{- else }}
{{- $namespace := $cell.namespace | default $root.Release.Namespace }}
{{- /* The Role of home's services is for the EndpointSlices of their own namespace. */}}
{{- $discovery := ternary $root.Values.discovery "dns" (eq $namespace $root.Release.Namespace) }}
{{- $values := set (omit $root.Values "fullnameOverride") "discovery" $discovery }}
{{- $release := dict "Name" $cell.release "Namespace" $namespace }}
{{- include "gateway.grpcAddress" (list (dict "Chart" $root.Chart "Values" $values "Release" $release) "billing") }}
{{- end }}
{{- end }}

{{/* Egress to the billing of a cell. Argument: (list root cell). */}}
{{- define "gateway.cellEgress" -}}
{{- $root := index . 0 }}
{{- $cell := index . 1 }}
{{- if $cell.release }}
- to:
    {{- include "gateway.podsOfRelease" (list ($cell.namespace | default $root.Release.Namespace) $cell.release "billing") | nindent 4 }}
  ports: [{ port: grpc, protocol: TCP }]
{{- else }}
{{- include "gateway.egressTo" (list $root.Values.networkPolicy.cellsTo (list (regexFind "[0-9]+$" $cell.billingAddress))) }}
{{- end }}
{{- end }}

{{/* Peers of a cell's billing: the services of home that call billing. */}}
{{- define "gateway.homePeers" -}}
{{- if .Values.home.release }}
{{- range $caller, $service := include "gateway.installation" . | fromYaml }}
{{- if hasKey $service.calls "billing" }}
{{ include "gateway.podsOfRelease" (list ($.Values.home.namespace | default $.Release.Namespace) $.Values.home.release $caller) }}
{{- end }}
{{- end }}
{{- else }}
{{- toYaml .Values.networkPolicy.homeFrom }}
{{- end }}
{{- end }}

{{/* A peer: the pods of a component of another release. Argument: (list namespace release component). */}}
{{- define "gateway.podsOfRelease" -}}
- namespaceSelector:
    matchLabels: { kubernetes.io/metadata.name: {{ index . 0 }} }
  podSelector:
    matchLabels:
      app.kubernetes.io/instance: {{ index . 1 }}
      app.kubernetes.io/component: {{ index . 2 }}
{{- end }}
