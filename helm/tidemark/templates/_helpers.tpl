{{/* At most 40 bytes: a StatefulSet whose name is over 52 makes no pods, for a label of theirs adds a hash. */}}
{{- define "tidemark.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Takes (dict "root" $ "component" name), as all below that want a component. */}}
{{- define "tidemark.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "tidemark.labels" -}}
{{ include "tidemark.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "tidemark.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "tidemark.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tidemark.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "tidemark.coordinatorSecret" -}}
{{- default (printf "%s-coordinator-tls" (include "tidemark.fullname" .)) .Values.tls.coordinatorSecret -}}
{{- end -}}

{{- define "tidemark.agentSecret" -}}
{{- default (printf "%s-agent-tls" (include "tidemark.fullname" .)) .Values.tls.agentSecret -}}
{{- end -}}

{{/* HOST:PORT that agents dial. */}}
{{- define "tidemark.coordinatorAddress" -}}
{{- if .Values.agents.coordinator -}}
{{- .Values.agents.coordinator -}}
{{- else if .Values.coordinator.enabled -}}
{{- printf "%s-coordinator.%s.svc:7070" (include "tidemark.fullname" .) .Release.Namespace -}}
{{- else -}}
{{- fail "agents.coordinator is empty and coordinator.enabled is false: give HOST:PORT of the coordinator that the agents dial" -}}
{{- end -}}
{{- end -}}

{{/* What every pod is: no API token, no root, a seccomp profile; takes root and the part's values as "part". */}}
{{- define "tidemark.podSpec" -}}
serviceAccountName: {{ include "tidemark.serviceAccountName" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- with .root.Values.runAsUser }}
  runAsUser: {{ int64 . }}
  runAsGroup: {{ int64 . }}
  fsGroup: {{ int64 . }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
  seccompProfile:
    type: RuntimeDefault
  {{- with .part.localPortRange }}
  sysctls:
    - name: net.ipv4.ip_local_port_range
      value: {{ . | quote }}
  {{- end }}
{{- with .part.terminationGracePeriodSeconds }}
terminationGracePeriodSeconds: {{ int64 . }}
{{- end }}
{{- with .part.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .part.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .part.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What every container is. */}}
{{- define "tidemark.container" -}}
image: {{ include "tidemark.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{/* gRPC health on the plaintext port for it. */}}
{{- define "tidemark.probes" -}}
startupProbe:
  grpc: {port: {{ .port }}}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  grpc: {port: {{ .port }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  grpc: {port: {{ .port }}}
  periodSeconds: 5
  timeoutSeconds: 3
{{- end -}}

{{- define "tidemark.securityArgs" -}}
{{- if .Values.tls.enabled -}}
- --tls-cert=/tls/tls.crt
- --tls-key=/tls/tls.key
- --tls-ca=/tls/ca.crt
{{- else -}}
- --plaintext
{{- end -}}
{{- end -}}

{{- define "tidemark.logArgs" -}}
- --log-level={{ .Values.log.level }}
{{- if .Values.log.json }}
- --log-json
{{- end }}
{{- end -}}
