{{- define "ovation.name" -}}
{{- if contains "ovation" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-ovation" (.Release.Name | trunc 32 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "ovation.selector" -}}
app.kubernetes.io/name: ovation
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "ovation.labels" -}}
{{ include "ovation.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | quote }}
{{- end }}

{{- define "ovation.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* What Kubernetes would accept and an installation would not survive. */}}
{{- define "ovation.guards" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.kafka.brokers) }}
{{- fail "replicas is more than 1 without kafka.brokers: without Kafka each node has a log of its own, and they would count apart. Set kafka.brokers, or replicas to 1." }}
{{- end }}
{{- if not .Values.secrets.existingSecret }}
{{- fail "secrets.existingSecret is required: make the secrets once by \"ovation secrets create secrets.yaml\", keep a copy in a safe place, and put them there by \"kubectl create secret generic ovation-secrets --from-file=secrets.yaml\"." }}
{{- end }}
{{- if and (ne .Values.kafka.sasl "none") (not .Values.kafka.user) }}
{{- fail "kafka.sasl is set without kafka.user." }}
{{- end }}
{{- if and (or .Values.kafka.tls (ne .Values.kafka.sasl "none")) (not .Values.kafka.brokers) }}
{{- fail "kafka.tls and kafka.sasl are about brokers, and kafka.brokers has none." }}
{{- end }}
{{- end }}
