import { deviceObjects } from './devices.ts';

/** An object, and the path of its collection. */
export interface CorpusObject {
  readonly path: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata?: { readonly name: string };
    readonly [field: string]: unknown;
  };
}

/** Valid objects, by name. Their changes are the cases of the corpus. */
export const objects: Readonly<Record<string, CorpusObject>> = {
  'services/0': {
    path: '/api/v1/namespaces/default/services',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      spec: {
        type: 'ClusterIP',
        ports: [
          { name: 'a', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'example.com/x' },
          { name: 'b', port: 81, protocol: 'UDP' },
        ],
        selector: { app: 'x' },
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } },
        externalIPs: ['1.2.3.4'],
        internalTrafficPolicy: 'Local',
        publishNotReadyAddresses: true,
        trafficDistribution: 'PreferClose',
      },
    },
  },
  'services/1': {
    path: '/api/v1/namespaces/default/services',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      spec: {
        type: 'LoadBalancer',
        ports: [
          { name: 'a', port: 80, nodePort: 30111, targetPort: 8080 },
          { name: 'b', port: 81, nodePort: 30112 },
        ],
        loadBalancerSourceRanges: ['10.0.0.0/8'],
        loadBalancerClass: 'example.com/lb',
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30113,
        allocateLoadBalancerNodePorts: true,
        loadBalancerIP: '1.2.3.4',
      },
    },
  },
  'services/2': {
    path: '/api/v1/namespaces/default/services',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      spec: {
        clusterIP: 'None',
        clusterIPs: ['None'],
        ports: [{ port: 80 }],
        selector: { app: 'x' },
        ipFamilyPolicy: 'PreferDualStack',
      },
    },
  },
  'services/3': {
    path: '/api/v1/namespaces/default/services',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      spec: { type: 'ExternalName', externalName: 'a.example.com', ports: [{ port: 80 }] },
    },
  },
  'services/4': {
    path: '/api/v1/namespaces/default/services',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      spec: {
        type: 'NodePort',
        ports: [{ port: 80, nodePort: 30115, protocol: 'TCP' }],
        externalTrafficPolicy: 'Cluster',
      },
    },
  },
  'services/5': {
    path: '/api/v1/namespaces/default/services',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      spec: { clusterIP: '10.0.0.77', clusterIPs: ['10.0.0.77'], ports: [{ port: 80 }] },
    },
  },
  'endpoints/0': {
    path: '/api/v1/namespaces/default/endpoints',
    object: {
      apiVersion: 'v1',
      kind: 'Endpoints',
      subsets: [
        {
          addresses: [
            { ip: '1.2.3.4', hostname: 'a', nodeName: 'n', targetRef: { kind: 'Pod', name: 'x' } },
            { ip: '1.2.3.5' },
          ],
          notReadyAddresses: [{ ip: '1.2.3.6' }],
          ports: [
            { name: 'a', port: 80, protocol: 'TCP', appProtocol: 'http' },
            { name: 'b', port: 81 },
          ],
        },
      ],
    },
  },
  'endpointslices/0': {
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv4',
      endpoints: [
        {
          addresses: ['1.2.3.4'],
          conditions: { ready: true, serving: true, terminating: false },
          hostname: 'a',
          nodeName: 'n',
          zone: 'z',
          hints: { forZones: [{ name: 'z' }], forNodes: [{ name: 'n' }] },
        },
        { addresses: ['1.2.3.5'] },
      ],
      ports: [
        { name: 'a', port: 80, protocol: 'TCP', appProtocol: 'http' },
        { name: 'b', port: 81 },
      ],
    },
  },
  'endpointslices/1': {
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'IPv6',
      endpoints: [{ addresses: ['2001:db8::1'] }],
      ports: [],
    },
  },
  'endpointslices/2': {
    path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    object: {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      addressType: 'FQDN',
      endpoints: [{ addresses: ['a.example.com'] }],
      ports: [{ port: 1 }],
    },
  },
  'ingresses/0': {
    path: '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      spec: {
        ingressClassName: 'c',
        defaultBackend: { service: { name: 'a', port: { number: 80 } } },
        tls: [{ hosts: ['a.example.com', '*.example.com'], secretName: 's' }],
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [
                { path: '/a', pathType: 'Prefix', backend: { service: { name: 'a', port: { name: 'http' } } } },
                {
                  path: '/b',
                  pathType: 'ImplementationSpecific',
                  backend: { resource: { apiGroup: 'example.com', kind: 'X', name: 'x' } },
                },
                { path: '/', pathType: 'Exact', backend: { service: { name: 'a', port: { number: 1 } } } },
              ],
            },
          },
          { host: '*.example.com' },
        ],
      },
    },
  },
  'ingressclasses/0': {
    path: '/apis/networking.k8s.io/v1/ingressclasses',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      spec: {
        controller: 'example.com/c',
        parameters: { apiGroup: 'example.com', kind: 'X', name: 'a', scope: 'Namespace', namespace: 'x' },
      },
    },
  },
  'ingressclasses/1': {
    path: '/apis/networking.k8s.io/v1/ingressclasses',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      spec: { controller: 'example.com/c', parameters: { kind: 'X', name: 'a', scope: 'Cluster' } },
    },
  },
  'networkpolicies/0': {
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      spec: {
        podSelector: {
          matchLabels: { app: 'web' },
          matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
        },
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          {
            from: [
              {
                podSelector: {
                  matchLabels: { app: 'web' },
                  matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
                },
                namespaceSelector: {
                  matchLabels: { app: 'web' },
                  matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
                },
              },
              { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
            ],
            ports: [
              { port: 80, endPort: 90, protocol: 'TCP' },
              { port: 'http', protocol: 'UDP' },
            ],
          },
        ],
        egress: [
          {
            to: [{ podSelector: {} }, { ipBlock: { cidr: '2001:db8::/64', except: ['2001:db8::/96'] } }],
            ports: [{ port: 80 }],
          },
        ],
      },
    },
  },
  'networkpolicies/1': {
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    object: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', spec: { podSelector: {} } },
  },
  'servicecidrs/0': {
    path: '/apis/networking.k8s.io/v1/servicecidrs',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      spec: { cidrs: ['10.100.0.0/16', '2001:db8::/64'] },
    },
  },
  'servicecidrs/1': {
    path: '/apis/networking.k8s.io/v1/servicecidrs',
    object: { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', spec: { cidrs: ['10.100.0.0/16'] } },
  },
  'ipaddresses/0': {
    path: '/apis/networking.k8s.io/v1/ipaddresses',
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: { name: '192.168.1.1' },
      spec: { parentRef: { group: '', resource: 'services', namespace: 'judge', name: 'a' } },
    },
  },
  'rolebindings/0': {
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
      subjects: [
        { kind: 'ServiceAccount', name: 'a', namespace: 'x' },
        { kind: 'User', name: 'a', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'Group', name: 'a' },
      ],
    },
  },
  'clusterrolebindings/0': {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a' },
      subjects: [
        { kind: 'ServiceAccount', name: 'a', namespace: 'x' },
        { kind: 'User', name: 'a', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'Group', name: 'a' },
      ],
    },
  },
  'roles/0': {
    path: '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] }],
    },
  },
  'clusterroles/0': {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      rules: [
        { apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] },
        { nonResourceURLs: ['/x'], verbs: ['get'] },
      ],
      aggregationRule: {
        clusterRoleSelectors: [
          { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }] },
        ],
      },
    },
  },
  'clusterroles/1': {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
  },
  'persistentvolumeclaims/0': {
    path: '/api/v1/namespaces/default/persistentvolumeclaims',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } },
        storageClassName: 'c',
        volumeMode: 'Block',
        volumeName: 'v',
        selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }] },
        dataSource: { kind: 'PersistentVolumeClaim', name: 'x' },
      },
    },
  },
  'persistentvolumeclaims/1': {
    path: '/api/v1/namespaces/default/persistentvolumeclaims',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: {
        accessModes: ['ReadWriteOnce', 'ReadOnlyMany'],
        resources: { requests: { storage: '1Gi' } },
        dataSourceRef: { apiGroup: 'example.com', kind: 'X', name: 'x' },
        volumeAttributesClassName: 'v',
      },
    },
  },
  'persistentvolumes/0': {
    path: '/api/v1/persistentvolumes',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: '/a', type: 'Directory' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'c',
        mountOptions: ['ro'],
        volumeMode: 'Filesystem',
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }] },
        },
        claimRef: { namespace: 'x', name: 'y', kind: 'PersistentVolumeClaim', apiVersion: 'v1' },
      },
    },
  },
  'persistentvolumes/1': {
    path: '/api/v1/persistentvolumes',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOncePod'],
        csi: {
          driver: 'example.com',
          volumeHandle: 'h',
          fsType: 'ext4',
          readOnly: true,
          volumeAttributes: { a: 'b' },
          controllerPublishSecretRef: { name: 's', namespace: 'n' },
          nodeStageSecretRef: { name: 's', namespace: 'n' },
          nodePublishSecretRef: { name: 's', namespace: 'n' },
          controllerExpandSecretRef: { name: 's', namespace: 'n' },
          nodeExpandSecretRef: { name: 's', namespace: 'n' },
        },
      },
    },
  },
  'persistentvolumes/2': {
    path: '/api/v1/persistentvolumes',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteMany'],
        nfs: { server: 's', path: '/p', readOnly: true },
      },
    },
  },
  'persistentvolumes/3': {
    path: '/api/v1/persistentvolumes',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        local: { path: '/p', fsType: 'ext4' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } },
      },
    },
  },
  'persistentvolumes/4': {
    path: '/api/v1/persistentvolumes',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:x', lun: 1 },
      },
    },
  },
  'persistentvolumes/5': {
    path: '/api/v1/persistentvolumes',
    object: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], fc: { targetWWNs: ['a'], lun: 1 } },
    },
  },
  'storageclasses/0': {
    path: '/apis/storage.k8s.io/v1/storageclasses',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      provisioner: 'example.com/p',
      parameters: { a: 'b' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
      mountOptions: ['ro'],
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
    },
  },
  'volumeattachments/0': {
    path: '/apis/storage.k8s.io/v1/volumeattachments',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'p' } },
    },
  },
  'csinodes/0': {
    path: '/apis/storage.k8s.io/v1/csinodes',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      spec: {
        drivers: [
          { name: 'a.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 1 } },
          { name: 'b.example.com', nodeID: 'n' },
        ],
      },
    },
  },
  'csidrivers/0': {
    path: '/apis/storage.k8s.io/v1/csidrivers',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      spec: {
        attachRequired: true,
        podInfoOnMount: true,
        volumeLifecycleModes: ['Persistent', 'Ephemeral'],
        storageCapacity: true,
        fsGroupPolicy: 'File',
        tokenRequests: [{ audience: 'a', expirationSeconds: 3600 }],
        requiresRepublish: true,
        seLinuxMount: true,
      },
    },
  },
  'csistoragecapacities/0': {
    path: '/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      storageClassName: 'c',
      capacity: '1Gi',
      maximumVolumeSize: '1Gi',
      nodeTopology: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }] },
    },
  },
  'volumeattributesclasses/0': {
    path: '/apis/storage.k8s.io/v1/volumeattributesclasses',
    object: {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      driverName: 'example.com',
      parameters: { a: 'b' },
    },
  },
  'priorityclasses/0': {
    path: '/apis/scheduling.k8s.io/v1/priorityclasses',
    object: {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      value: 5,
      description: 'x',
      preemptionPolicy: 'Never',
      globalDefault: false,
    },
  },
  'leases/0': {
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      spec: {
        holderIdentity: 'x',
        leaseDurationSeconds: 5,
        leaseTransitions: 1,
        acquireTime: '2026-01-01T00:00:00.000000Z',
        renewTime: '2026-01-01T00:00:00.000000Z',
      },
    },
  },
  'leases/1': {
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    object: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: { holderIdentity: 'x' } },
  },
  'resourcequotas/0': {
    path: '/api/v1/namespaces/default/resourcequotas',
    object: {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      spec: {
        hard: { pods: '1000' },
        scopes: ['NotTerminating', 'NotBestEffort'],
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] },
      },
    },
  },
  'resourcequotas/1': {
    path: '/api/v1/namespaces/default/resourcequotas',
    object: {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      spec: { hard: { 'requests.cpu': '1000' }, scopes: ['NotTerminating'] },
    },
  },
  'resourcequotas/2': {
    path: '/api/v1/namespaces/default/resourcequotas',
    object: { apiVersion: 'v1', kind: 'ResourceQuota', spec: { hard: { 'count/widgets.example.com': '1000' } } },
  },
  'limitranges/0': {
    path: '/api/v1/namespaces/default/limitranges',
    object: {
      apiVersion: 'v1',
      kind: 'LimitRange',
      spec: {
        limits: [
          {
            type: 'Container',
            max: { cpu: '400' },
            min: { cpu: '1m' },
            default: { cpu: '2' },
            defaultRequest: { cpu: '1' },
            maxLimitRequestRatio: { cpu: '50' },
          },
          { type: 'Pod', max: { memory: '100Gi' } },
        ],
      },
    },
  },
  'poddisruptionbudgets/0': {
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      spec: {
        selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }] },
        minAvailable: 1,
        unhealthyPodEvictionPolicy: 'AlwaysAllow',
      },
    },
  },
  'poddisruptionbudgets/1': {
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      spec: {
        selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }] },
        maxUnavailable: '10%',
      },
    },
  },
  'horizontalpodautoscalers/0': {
    path: '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    object: {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      spec: {
        minReplicas: 1,
        maxReplicas: 5,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          {
            type: 'Pods',
            pods: {
              metric: {
                name: 'm',
                selector: {
                  matchLabels: { app: 'web' },
                  matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
                },
              },
              target: { type: 'AverageValue', averageValue: '1' },
            },
          },
          {
            type: 'Object',
            object: {
              describedObject: { kind: 'Service', name: 's', apiVersion: 'v1' },
              metric: { name: 'm' },
              target: { type: 'Value', value: '1' },
            },
          },
          {
            type: 'External',
            external: {
              metric: {
                name: 'm',
                selector: {
                  matchLabels: { app: 'web' },
                  matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
                },
              },
              target: { type: 'AverageValue', averageValue: '1' },
            },
          },
          {
            type: 'ContainerResource',
            containerResource: { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 50 } },
          },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 5,
            selectPolicy: 'Max',
            policies: [
              { type: 'Pods', value: 1, periodSeconds: 5 },
              { type: 'Percent', value: 1, periodSeconds: 5 },
            ],
          },
          scaleDown: {
            stabilizationWindowSeconds: 5,
            selectPolicy: 'Disabled',
            policies: [{ type: 'Pods', value: 1, periodSeconds: 5 }],
          },
        },
      },
    },
  },
  'configmaps/0': {
    path: '/api/v1/namespaces/default/configmaps',
    object: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' }, binaryData: { c: 'YQ==' }, immutable: false },
  },
  'configmaps/1': {
    path: '/api/v1/namespaces/default/configmaps',
    object: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: 'b' }, immutable: true },
  },
  'secrets/0': {
    path: '/api/v1/namespaces/default/secrets',
    object: { apiVersion: 'v1', kind: 'Secret', data: { a: 'YQ==' }, type: 'Opaque', immutable: false },
  },
  'secrets/1': {
    path: '/api/v1/namespaces/default/secrets',
    object: { apiVersion: 'v1', kind: 'Secret', data: { a: 'YQ==' }, immutable: true },
  },
  'secrets/2': {
    path: '/api/v1/namespaces/default/secrets',
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      data: { 'tls.crt': 'YQ==', 'tls.key': 'YQ==' },
      type: 'kubernetes.io/tls',
    },
  },
  'secrets/3': {
    path: '/api/v1/namespaces/default/secrets',
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      stringData: { '.dockerconfigjson': '{"a":1}' },
      type: 'kubernetes.io/dockerconfigjson',
    },
  },
  'secrets/4': {
    path: '/api/v1/namespaces/default/secrets',
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      stringData: { '.dockercfg': '{"a":1}' },
      type: 'kubernetes.io/dockercfg',
    },
  },
  'secrets/5': {
    path: '/api/v1/namespaces/default/secrets',
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      stringData: { username: 'a', password: 'b' },
      type: 'kubernetes.io/basic-auth',
    },
  },
  'secrets/6': {
    path: '/api/v1/namespaces/default/secrets',
    object: { apiVersion: 'v1', kind: 'Secret', stringData: { 'ssh-privatekey': 'a' }, type: 'kubernetes.io/ssh-auth' },
  },
  'serviceaccounts/0': {
    path: '/api/v1/namespaces/default/serviceaccounts',
    object: {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      secrets: [{ name: 'x' }],
      imagePullSecrets: [{ name: 'y' }],
      automountServiceAccountToken: true,
    },
  },
  'namespaces/0': {
    path: '/api/v1/namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', spec: { finalizers: ['kubernetes', 'example.com/x'] } },
  },
  'nodes/0': {
    path: '/api/v1/nodes',
    object: {
      apiVersion: 'v1',
      kind: 'Node',
      spec: {
        podCIDR: '10.1.0.0/24',
        podCIDRs: ['10.1.0.0/24', '2001:db8::/64'],
        providerID: 'x://y',
        unschedulable: true,
        taints: [
          { key: 'a', value: 'b', effect: 'NoSchedule' },
          { key: 'a', value: 'b', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
        ],
      },
    },
  },
  'nodes/1': {
    path: '/api/v1/nodes',
    object: { apiVersion: 'v1', kind: 'Node', spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
  },
  'podtemplates/0': {
    path: '/api/v1/namespaces/default/podtemplates',
    object: {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      template: {
        metadata: { labels: { a: 'b' }, annotations: { a: 'b' } },
        spec: { containers: [{ name: 'main', image: 'nginx', ports: [{ containerPort: 80 }] }] },
      },
    },
  },
  'statefulsets/0': {
    path: '/apis/apps/v1/namespaces/default/statefulsets',
    object: {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      spec: {
        serviceName: 'web',
        replicas: 2,
        selector: { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }] },
        template: {
          metadata: { labels: { app: 'web', tier: 'a' } },
          spec: { containers: [{ name: 'main', image: 'nginx' }] },
        },
        podManagementPolicy: 'Parallel',
        minReadySeconds: 1,
        revisionHistoryLimit: 3,
        ordinals: { start: 1 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data', labels: { a: 'b' } },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              storageClassName: 'c',
              volumeMode: 'Filesystem',
            },
          },
        ],
      },
    },
  },
  'replicasets/1': {
    path: '/apis/apps/v1/namespaces/default/replicasets',
    object: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            restartPolicy: 'Always',
            dnsPolicy: 'None',
            dnsConfig: {
              nameservers: ['1.2.3.4'],
              searches: ['a.example.com'],
              options: [{ name: 'ndots', value: '2' }],
            },
            hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }],
            hostname: 'h',
            subdomain: 's',
            nodeName: 'n',
            terminationGracePeriodSeconds: 5,
            imagePullSecrets: [{ name: 'x' }],
            readinessGates: [{ conditionType: 'example.com/x' }],
            os: { name: 'linux' },
            hostUsers: true,
            setHostnameAsFQDN: true,
            enableServiceLinks: true,
            shareProcessNamespace: true,
            automountServiceAccountToken: false,
            securityContext: {
              runAsUser: 1,
              runAsGroup: 1,
              fsGroup: 1,
              runAsNonRoot: true,
              supplementalGroups: [1],
              supplementalGroupsPolicy: 'Merge',
              sysctls: [{ name: 'a.b', value: 'c' }],
              fsGroupChangePolicy: 'Always',
              seccompProfile: { type: 'Localhost', localhostProfile: 'x' },
              appArmorProfile: { type: 'RuntimeDefault' },
              seLinuxOptions: { level: 'x' },
            },
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [
                    {
                      matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
                      matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }],
                    },
                  ],
                },
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } },
                ],
              },
              podAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  {
                    topologyKey: 'zone',
                    namespaces: ['x'],
                    labelSelector: {
                      matchLabels: { app: 'web' },
                      matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
                    },
                    namespaceSelector: {
                      matchLabels: { app: 'web' },
                      matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
                    },
                    matchLabelKeys: ['k'],
                  },
                ],
              },
              podAntiAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  {
                    weight: 1,
                    podAffinityTerm: {
                      topologyKey: 'zone',
                      labelSelector: {
                        matchLabels: { app: 'web' },
                        matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
                      },
                    },
                  },
                ],
              },
            },
            tolerations: [
              { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
              { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
            ],
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'zone',
                whenUnsatisfiable: 'DoNotSchedule',
                labelSelector: {
                  matchLabels: { app: 'web' },
                  matchExpressions: [{ key: 'tier', operator: 'In', values: ['a'] }],
                },
                minDomains: 2,
                nodeAffinityPolicy: 'Honor',
                nodeTaintsPolicy: 'Ignore',
                matchLabelKeys: ['k'],
              },
            ],
            initContainers: [
              {
                name: 'init',
                image: 'a',
                command: ['x'],
                restartPolicy: 'Always',
                startupProbe: { exec: { command: ['a'] } },
              },
            ],
            containers: [
              {
                name: 'main',
                image: 'nginx',
                imagePullPolicy: 'Always',
                terminationMessagePath: '/a',
                terminationMessagePolicy: 'File',
                workingDir: '/a',
                stdin: true,
                resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
                ports: [
                  { name: 'http', containerPort: 80, protocol: 'TCP', hostPort: 8080, hostIP: '1.2.3.4' },
                  { containerPort: 81 },
                ],
                env: [
                  { name: 'A', value: 'b' },
                  { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
                  { name: 'C', valueFrom: { configMapKeyRef: { name: 's', key: 'k' } } },
                  { name: 'D', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                  {
                    name: 'E',
                    valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m', containerName: 'main' } },
                  },
                ],
                envFrom: [{ prefix: 'X', configMapRef: { name: 'a' } }, { secretRef: { name: 'a' } }],
                lifecycle: {
                  postStart: {
                    httpGet: {
                      port: 1,
                      path: '/x',
                      host: 'h',
                      scheme: 'HTTP',
                      httpHeaders: [{ name: 'X', value: 'y' }],
                    },
                  },
                  preStop: { sleep: { seconds: 1 } },
                },
                livenessProbe: {
                  httpGet: { port: 'http', path: '/', httpHeaders: [{ name: 'a', value: 'b' }] },
                  initialDelaySeconds: 1,
                  timeoutSeconds: 1,
                  periodSeconds: 1,
                  failureThreshold: 1,
                  successThreshold: 1,
                  terminationGracePeriodSeconds: 5,
                },
                readinessProbe: { tcpSocket: { port: 80, host: 'h' }, successThreshold: 2 },
                startupProbe: { grpc: { port: 1, service: 'x' } },
                resources: {
                  limits: { cpu: '1', memory: '1Gi', 'example.com/gpu': '1' },
                  requests: { cpu: '500m', 'example.com/gpu': '1' },
                },
                securityContext: {
                  privileged: false,
                  allowPrivilegeEscalation: false,
                  runAsUser: 1,
                  runAsNonRoot: true,
                  readOnlyRootFilesystem: true,
                  procMount: 'Default',
                  capabilities: { add: ['A'], drop: ['ALL'] },
                  seccompProfile: { type: 'RuntimeDefault' },
                  appArmorProfile: { type: 'Localhost', localhostProfile: 'x' },
                },
                volumeMounts: [
                  { name: 'a', mountPath: '/a', subPath: 'x', readOnly: true, mountPropagation: 'None' },
                  { name: 'b', mountPath: '/b', subPathExpr: '$(A)' },
                ],
                volumeDevices: [{ name: 'pvc', devicePath: '/dev/x' }],
              },
            ],
            volumes: [
              { name: 'a', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
              { name: 'b', configMap: { name: 'x', defaultMode: 420, items: [{ key: 'a', path: 'b', mode: 1 }] } },
              { name: 'c', secret: { secretName: 'x', defaultMode: 420, items: [{ key: 'a', path: 'b', mode: 1 }] } },
              { name: 'd', hostPath: { path: '/a', type: 'Directory' } },
              { name: 'pvc', persistentVolumeClaim: { claimName: 'x', readOnly: true } },
              {
                name: 'e',
                downwardAPI: {
                  defaultMode: 1,
                  items: [
                    { path: 'a', fieldRef: { fieldPath: 'metadata.labels' } },
                    { path: 'b', resourceFieldRef: { resource: 'limits.cpu', containerName: 'main' }, mode: 1 },
                  ],
                },
              },
              {
                name: 'f',
                projected: {
                  defaultMode: 1,
                  sources: [
                    { secret: { name: 'a', items: [{ key: 'a', path: 'x' }] } },
                    { configMap: { name: 'a', items: [{ key: 'a', path: 'y' }] } },
                    { serviceAccountToken: { path: 'token', audience: 'a', expirationSeconds: 3600 } },
                    { downwardAPI: { items: [{ path: 'z', fieldRef: { fieldPath: 'metadata.name' } }] } },
                    { clusterTrustBundle: { name: 'a', path: 'q' } },
                  ],
                },
              },
              { name: 'g', nfs: { server: 's', path: '/a' } },
              {
                name: 'h',
                csi: {
                  driver: 'example.com',
                  fsType: 'x',
                  volumeAttributes: { a: 'b' },
                  nodePublishSecretRef: { name: 'x' },
                },
              },
              {
                name: 'i',
                ephemeral: {
                  volumeClaimTemplate: {
                    metadata: { labels: { a: 'b' } },
                    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
                  },
                },
              },
              { name: 'j', image: { reference: 'a', pullPolicy: 'Always' } },
              { name: 'k', iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2001-04.com.example:x', lun: 1 } },
              { name: 'l', gitRepo: { repository: 'r', directory: 'd' } },
            ],
          },
        },
      },
    },
  },
  'jobs/0': {
    path: '/apis/batch/v1/namespaces/default/jobs',
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      spec: {
        parallelism: 1,
        completions: 2,
        activeDeadlineSeconds: 5,
        backoffLimit: 2,
        ttlSecondsAfterFinished: 5,
        completionMode: 'Indexed',
        backoffLimitPerIndex: 1,
        maxFailedIndexes: 1,
        suspend: true,
        podReplacementPolicy: 'Failed',
        managedBy: 'example.com/x',
        podFailurePolicy: {
          rules: [
            { action: 'FailIndex', onExitCodes: { containerName: 'main', operator: 'In', values: [1, 2] } },
            { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          ],
        },
        successPolicy: { rules: [{ succeededIndexes: '0-1', succeededCount: 1 }] },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'nginx' }] },
        },
      },
    },
  },
  ...deviceObjects,
};
