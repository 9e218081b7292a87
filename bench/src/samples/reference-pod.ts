/** Returns the JSON text of the reference Pod with this index, about 1.65 KB. Its results decide whether goals are met. */
export function referencePodJson(index: number, resourceVersion: number): string {
  const app = `checkout-${index % 500}`;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${index}`,
      namespace: 'default',
      labels: { app, 'pod-template-hash': '5d59d67564', tier: index % 2 ? 'frontend' : 'backend' },
      annotations: {
        'kubernetes.io/config.seen': '2026-01-01T00:00:00.000000000Z',
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '9102',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `${app}-5d59d67564`,
          uid: '2f0a3d5c-6d7a-4f37-9d46-0b9c6f1d7a11',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      uid: `6f1f3c5e-0000-4000-8000-${String(index).padStart(12, '0')}`,
      resourceVersion: String(resourceVersion),
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      containers: [
        {
          name: 'server',
          image: `registry.example.com/shop/checkout:v1.${index % 40}.3`,
          args: ['--listen=:8080', '--metrics=:9102', '--log-level=info'],
          ports: [
            { name: 'http', containerPort: 8080, protocol: 'TCP' },
            { name: 'metrics', containerPort: 9102, protocol: 'TCP' },
          ],
          env: [
            { name: 'REGION', value: 'eu-central-1' },
            { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
          ],
          resources: { limits: { cpu: '500m', memory: '512Mi' }, requests: { cpu: '100m', memory: '128Mi' } },
          readinessProbe: { httpGet: { path: '/readyz', port: 8080, scheme: 'HTTP' }, periodSeconds: 10 },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'checkout',
      nodeName: `node-${index % 100}`,
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
  });
}
