import type { Step } from '../session.ts';
import { post } from './step.ts';

type Rule = readonly [spec: object, annotations: object | undefined];

const containers = [{ name: 'main', image: 'nginx' }];
const pod = (spec: object, annotations?: object): Rule => [{ containers, ...spec }, annotations];
const container = (fields: object, more: object = {}): Rule =>
  pod({ containers: [{ name: 'main', image: 'nginx', ...fields }], ...more });

/** Specs of Pods that break a rule each. */
const rules: readonly Rule[] = [
  container(
    {
      volumeDevices: [
        { name: 'v', devicePath: '/dev/x' },
        { name: 'v', devicePath: '/dev/x' },
        { name: 'e', devicePath: '/../x' },
        { name: 'zz', devicePath: '' },
        {},
      ],
      volumeMounts: [{ name: 'v', mountPath: '/dev/x' }],
    },
    {
      volumes: [
        { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'e', emptyDir: {} },
      ],
    },
  ),
  container(
    { volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] },
    {
      hostUsers: false,
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
      hostNetwork: true,
      hostPID: true,
      hostIPC: true,
    },
  ),
  pod({
    containers: [
      {
        name: 'main',
        image: 'nginx',
        ports: [
          { containerPort: 80, hostPort: 80 },
          { containerPort: 81, hostPort: 80 },
          { containerPort: 82, hostPort: 80, protocol: 'UDP' },
          { containerPort: 83, hostPort: 80, hostIP: '10.0.0.1' },
        ],
      },
      { name: 'two', image: 'nginx', ports: [{ containerPort: 80, hostPort: 80 }] },
    ],
    initContainers: [
      {
        name: 'i',
        image: 'nginx',
        ports: [
          { containerPort: 80, hostPort: 80 },
          { containerPort: 80, hostPort: 80 },
        ],
      },
    ],
  }),
  container({ ports: [{ containerPort: 80, hostPort: 81 }, { containerPort: 82 }] }, { hostNetwork: true }),
  pod({
    securityContext: { windowsOptions: { gmsaCredentialSpecName: 'a_b', gmsaCredentialSpec: '', runAsUserName: '' } },
  }),
  container({ securityContext: { windowsOptions: { runAsUserName: 'a\\b\\c' } } }),
  container({ securityContext: { windowsOptions: { runAsUserName: 'a\tb' } } }),
  container({ securityContext: { windowsOptions: { runAsUserName: '..' } } }),
  container({ securityContext: { windowsOptions: { runAsUserName: 'a:b' } } }),
  container({ securityContext: { windowsOptions: { runAsUserName: '\\x' } } }),
  container({ securityContext: { windowsOptions: { runAsUserName: 'a/b\\c' } } }),
  container({ securityContext: { windowsOptions: { runAsUserName: 'x'.repeat(105) } } }),
  container({ securityContext: { windowsOptions: { runAsUserName: `${'y'.repeat(256)}\\u` } } }),
  pod({
    containers: [
      { name: 'main', image: 'nginx', securityContext: { windowsOptions: { hostProcess: true } } },
      { name: 'b', image: 'nginx' },
    ],
  }),
  pod({
    containers: [
      { name: 'main', image: 'nginx', securityContext: { windowsOptions: { hostProcess: false } } },
      { name: 'b', image: 'nginx' },
    ],
    securityContext: { windowsOptions: { hostProcess: true } },
  }),
  container(
    { securityContext: { windowsOptions: {} } },
    { os: { name: 'linux' }, securityContext: { windowsOptions: {} } },
  ),
  container(
    {
      securityContext: {
        runAsUser: 1,
        privileged: true,
        capabilities: {},
        procMount: 'Default',
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: true,
      },
    },
    {
      os: { name: 'windows' },
      hostPID: true,
      hostIPC: true,
      hostUsers: false,
      shareProcessNamespace: false,
      securityContext: {
        runAsUser: 1,
        runAsGroup: 1,
        fsGroup: 1,
        fsGroupChangePolicy: 'Always',
        supplementalGroups: [1],
        supplementalGroupsPolicy: 'Merge',
        seLinuxOptions: { level: 'x' },
        seLinuxChangePolicy: 'Recursive',
        seccompProfile: { type: 'Unconfined' },
        appArmorProfile: { type: 'Unconfined' },
        sysctls: [{ name: 'a', value: 'b' }],
      },
    },
  ),
  pod({ os: { name: 'plan9' } }),
  pod({ os: {} }),
  pod({ os: { name: 'windows' }, resources: { limits: { cpu: '1' } } }),
  pod({
    containers: [
      { name: 'main', image: 'nginx', resources: { requests: { cpu: '200m' } } },
      { name: 'b', image: 'nginx', resources: { requests: { cpu: '300m' } } },
    ],
    resources: { requests: { cpu: '100m' } },
  }),
  container({ resources: { limits: { cpu: '2', memory: '1Gi' } } }, { resources: { limits: { cpu: '1' } } }),
  container({ resources: { limits: { 'hugepages-2Mi': '3Mi' } } }),
  container({
    resources: {
      claims: [
        { name: '' },
        { name: 'x' },
        { name: 'x' },
        { name: 'y', request: 'A' },
        { name: 'y', request: 'a' },
        { name: 'y' },
      ],
    },
  }),
  container(
    { resources: { claims: [{ name: 'z' }, { name: 'x' }] } },
    {
      resourceClaims: [
        { name: 'x', resourceClaimName: 'c' },
        { name: 'y', resourceClaimTemplateName: 't' },
      ],
    },
  ),
  pod({
    resourceClaims: [
      { name: 'x' },
      { name: 'x', resourceClaimName: 'A', resourceClaimTemplateName: 'B' },
      { name: '', resourceClaimName: '' },
      { name: 'A_', resourceClaimName: 'a' },
    ],
  }),
  pod({ runtimeClassName: '' }),
  pod({ preemptionPolicy: '' }),
  pod({ hostnameOverride: `A_${'x'.repeat(70)}`, setHostnameAsFQDN: true, hostNetwork: true }),
  pod({ shareProcessNamespace: true, hostPID: true }),
  pod({
    hostNetwork: true,
    hostIPC: true,
    securityContext: {
      sysctls: [
        { name: 'net.ipv4.x', value: '1' },
        { name: 'kernel.shm_rmid_forced', value: '1' },
        { name: 'kernel.sem', value: '1' },
        { name: 'fs.mqueue.a', value: '1' },
        { name: 'net/ipv4/x', value: '1' },
        { name: 'A B', value: '1' },
      ],
      seLinuxChangePolicy: 'x',
    },
  }),
  container({ securityContext: { procMount: 'Unmasked' } }),
  container({
    securityContext: {
      procMount: 'x',
      allowPrivilegeEscalation: false,
      capabilities: { add: ['CAP_SYS_ADMIN'] },
      privileged: true,
    },
  }),
  container({ restartPolicy: 'x' }),
  container({ restartPolicyRules: [{ action: 'Restart' }] }),
  container({
    restartPolicy: 'Never',
    restartPolicyRules: [
      { action: 'x', exitCodes: { operator: 'y', values: [1] } },
      { action: 'Restart' },
      { action: 'Restart', exitCodes: { operator: 'In', values: [1] } },
    ],
  }),
  pod({
    initContainers: [
      {
        name: 'i',
        image: 'nginx',
        restartPolicy: 'Always',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
      },
      { name: 'j', image: 'nginx', restartPolicyRules: [{}] },
      { name: 'k', image: 'nginx', restartPolicy: 'y' },
    ],
  }),
  container({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }, { restartPolicy: 'Never' }),
  container({ lifecycle: { preStop: { sleep: { seconds: 31 } }, postStart: { sleep: { seconds: -1 } } } }),
  container({ lifecycle: { preStop: { sleep: { seconds: 0 } }, stopSignal: 'SIGTERM' } }),
  container(
    {
      volumeMounts: [
        { name: 'e', mountPath: '/a', mountPropagation: 'x', recursiveReadOnly: 'y' },
        { name: 'e', mountPath: '/b', mountPropagation: 'Bidirectional', recursiveReadOnly: 'Enabled' },
        { name: 'e', mountPath: '/c', subPath: 'a', subPathExpr: 'b' },
      ],
    },
    { volumes: [{ name: 'e', emptyDir: {} }] },
  ),
  container(
    {
      env: [
        { name: 'A', valueFrom: { fileKeyRef: { volumeName: 'e', path: 'a', key: 'k' } } },
        { name: 'B', valueFrom: { fileKeyRef: { volumeName: 'v', path: '../a', key: '=' } } },
        { name: 'C', valueFrom: { fileKeyRef: { volumeName: 'zz', path: '', key: '' } } },
      ],
    },
    {
      volumes: [
        { name: 'e', emptyDir: {} },
        { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
      ],
    },
  ),
  pod({ schedulingGates: [{ name: 'a' }, { name: 'a' }, {}] }),
  pod({ schedulingGates: [{ name: 'a' }], nodeName: 'n' }),
  pod({ containers: [{ name: 'main', image: ' nginx ' }] }),
  pod({ containers: [{ name: 'main', image: '\t' }] }),
  pod({ volumes: [{ name: 'p', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] }),
  pod({ containers: [] }),
  pod({ containers: [], initContainers: [{ name: 'main', image: 'nginx' }] }),
  pod({ containers: [{ name: '', image: 'nginx' }], initContainers: [{ name: '', image: 'nginx' }] }),
  pod({ terminationGracePeriodSeconds: -5 }),
  pod({ hostAliases: [{ ip: '1.2.3.4', hostnames: ['A'] }], imagePullSecrets: [{ name: '' }, { name: 'A_' }] }),
  pod({
    tolerations: [
      { operator: 'Gt', key: 'a', value: '1' },
      { operator: 'x', key: 'a', effect: 'y' },
    ],
  }),
  pod({ volumes: [{ name: 'i', image: {} }] }),
  pod({
    volumes: [
      { name: 'i', image: { reference: 'a', pullPolicy: 'x' } },
      { name: 'e', ephemeral: { volumeClaimTemplate: { spec: {} } } },
    ],
  }),
  pod({ dnsConfig: { nameservers: ['x'], searches: ['A_'], options: [{}] }, dnsPolicy: 'None' }),
  pod({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'x' }] }),
  pod(
    {},
    {
      'controller.kubernetes.io/pod-deletion-cost': 'x',
      'container.apparmor.security.beta.kubernetes.io/zz': 'bad',
      'kubernetes.io/config.mirror': 'x',
    },
  ),
  pod({ nodeName: 'n' }, { 'seccomp.security.alpha.kubernetes.io/pod': 'x' }),
];

/** Pods that the server refuses. */
export const podRules: readonly Step[] = rules.map(([spec, annotations], index) =>
  post('Pod', `rule-${index}`, { spec }, annotations && { annotations }),
);
