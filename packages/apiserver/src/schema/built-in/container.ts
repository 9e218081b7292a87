import type { TypeTable } from './notation.ts';

/** The types of containers, in the notation of {@link TypeTable}. */
export const containerTypes: TypeTable = {
  Container: `
    args string[], command string[], env EnvVar[name], envFrom EnvFromSource[], image string, imagePullPolicy string,
    lifecycle Lifecycle, livenessProbe Probe, name string, ports ContainerPort[containerPort+protocol],
    readinessProbe Probe, resizePolicy ContainerResizePolicy[], resources ResourceRequirements, restartPolicy string,
    restartPolicyRules ContainerRestartRule[], securityContext SecurityContext, startupProbe Probe, stdin bool,
    stdinOnce bool, terminationMessagePath string, terminationMessagePolicy string, tty bool,
    volumeDevices VolumeDevice[devicePath], volumeMounts VolumeMount[mountPath], workingDir string`,
  EphemeralContainer: `
    args string[], command string[], env EnvVar[name], envFrom EnvFromSource[], image string, imagePullPolicy string,
    lifecycle Lifecycle, livenessProbe Probe, name string, ports ContainerPort[containerPort+protocol],
    readinessProbe Probe, resizePolicy ContainerResizePolicy[], resources ResourceRequirements, restartPolicy string,
    restartPolicyRules ContainerRestartRule[], securityContext SecurityContext, startupProbe Probe, stdin bool,
    stdinOnce bool, targetContainerName string, terminationMessagePath string, terminationMessagePolicy string,
    tty bool, volumeDevices VolumeDevice[devicePath], volumeMounts VolumeMount[mountPath], workingDir string`,
  EnvVar: 'name string, value string, valueFrom EnvVarSource',
  EnvFromSource: 'configMapRef ConfigMapEnvSource, prefix string, secretRef SecretEnvSource',
  Lifecycle: 'postStart LifecycleHandler, preStop LifecycleHandler, stopSignal string',
  Probe: `
    exec ExecAction, failureThreshold int, grpc GRPCAction, httpGet HTTPGetAction, initialDelaySeconds int,
    periodSeconds int, successThreshold int, tcpSocket TCPSocketAction, terminationGracePeriodSeconds int,
    timeoutSeconds int`,
  ContainerPort: 'containerPort int, hostIP string, hostPort int, name string, protocol string=TCP',
  ContainerResizePolicy: 'resourceName string, restartPolicy string',
  ResourceRequirements: 'claims ResourceClaim[name], limits quantity{}, requests quantity{}',
  ContainerRestartRule: 'action string, exitCodes ContainerRestartRuleOnExitCodes',
  SecurityContext: `
    allowPrivilegeEscalation bool, appArmorProfile AppArmorProfile, capabilities Capabilities, privileged bool,
    procMount string, readOnlyRootFilesystem bool, runAsGroup int, runAsNonRoot bool, runAsUser int,
    seLinuxOptions SELinuxOptions, seccompProfile SeccompProfile, windowsOptions WindowsSecurityContextOptions`,
  VolumeDevice: 'devicePath string, name string',
  VolumeMount: `
    mountPath string, mountPropagation string, name string, readOnly bool, recursiveReadOnly string, subPath string,
    subPathExpr string`,
  EnvVarSource: `
    configMapKeyRef ConfigMapKeySelector, fieldRef ObjectFieldSelector, fileKeyRef FileKeySelector,
    resourceFieldRef ResourceFieldSelector, secretKeyRef SecretKeySelector`,
  ConfigMapEnvSource: 'name string, optional bool',
  SecretEnvSource: 'name string, optional bool',
  LifecycleHandler: 'exec ExecAction, httpGet HTTPGetAction, sleep SleepAction, tcpSocket TCPSocketAction',
  ExecAction: 'command string[]',
  GRPCAction: 'port int, service string',
  HTTPGetAction: 'host string, httpHeaders HTTPHeader[], path string, port intOrString, scheme string',
  TCPSocketAction: 'host string, port intOrString',
  ResourceClaim: 'name string, request string',
  ContainerRestartRuleOnExitCodes: 'operator string, values int[*]',
  AppArmorProfile: 'localhostProfile string, type string',
  Capabilities: 'add string[], drop string[]',
  SELinuxOptions: 'level string, role string, type string, user string',
  SeccompProfile: 'localhostProfile string, type string',
  WindowsSecurityContextOptions: `
    gmsaCredentialSpec string, gmsaCredentialSpecName string, hostProcess bool, runAsUserName string`,
  'ConfigMapKeySelector!': 'key string, name string, optional bool',
  'FileKeySelector!': 'key string, optional bool, path string, volumeName string',
  'SecretKeySelector!': 'key string, name string, optional bool',
  SleepAction: 'seconds int',
  HTTPHeader: 'name string, value string',
};
