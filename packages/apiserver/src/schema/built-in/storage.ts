import type { TypeTable } from './notation.ts';

/** The types of volumes and their drivers, in the notation of {@link TypeTable}. */
export const storageTypes: TypeTable = {
  PersistentVolume: 'spec PersistentVolumeSpec, status PersistentVolumeStatus',
  PersistentVolumeSpec: `
    accessModes string[], awsElasticBlockStore AWSElasticBlockStoreVolumeSource, azureDisk AzureDiskVolumeSource,
    azureFile AzureFilePersistentVolumeSource, capacity quantity{}, cephfs CephFSPersistentVolumeSource,
    cinder CinderPersistentVolumeSource, claimRef ObjectReference, csi CSIPersistentVolumeSource, fc FCVolumeSource,
    flexVolume FlexPersistentVolumeSource, flocker FlockerVolumeSource,
    gcePersistentDisk GCEPersistentDiskVolumeSource, glusterfs GlusterfsPersistentVolumeSource,
    hostPath HostPathVolumeSource, iscsi ISCSIPersistentVolumeSource, local LocalVolumeSource, mountOptions string[],
    nfs NFSVolumeSource, nodeAffinity VolumeNodeAffinity, persistentVolumeReclaimPolicy string,
    photonPersistentDisk PhotonPersistentDiskVolumeSource, portworxVolume PortworxVolumeSource,
    quobyte QuobyteVolumeSource, rbd RBDPersistentVolumeSource, scaleIO ScaleIOPersistentVolumeSource,
    storageClassName string, storageos StorageOSPersistentVolumeSource, volumeAttributesClassName string,
    volumeMode string, vsphereVolume VsphereVirtualDiskVolumeSource`,
  AzureFilePersistentVolumeSource: 'readOnly bool, secretName string, secretNamespace string, shareName string',
  CephFSPersistentVolumeSource: `
    monitors string[], path string, readOnly bool, secretFile string, secretRef SecretReference, user string`,
  'SecretReference!': 'name string, namespace string',
  CinderPersistentVolumeSource: 'fsType string, readOnly bool, secretRef SecretReference, volumeID string',
  CSIPersistentVolumeSource: `
    controllerExpandSecretRef SecretReference, controllerPublishSecretRef SecretReference, driver string,
    fsType string, nodeExpandSecretRef SecretReference, nodePublishSecretRef SecretReference,
    nodeStageSecretRef SecretReference, readOnly bool, volumeAttributes string{}, volumeHandle string`,
  FlexPersistentVolumeSource: `
    driver string, fsType string, options string{}, readOnly bool, secretRef SecretReference`,
  GlusterfsPersistentVolumeSource: 'endpoints string, endpointsNamespace string, path string, readOnly bool',
  ISCSIPersistentVolumeSource: `
    chapAuthDiscovery bool, chapAuthSession bool, fsType string, initiatorName string, iqn string,
    iscsiInterface string, lun int, portals string[], readOnly bool, secretRef SecretReference, targetPortal string`,
  LocalVolumeSource: 'fsType string, path string',
  VolumeNodeAffinity: 'required NodeSelector',
  RBDPersistentVolumeSource: `
    fsType string, image string, keyring string, monitors string[], pool string, readOnly bool,
    secretRef SecretReference, user string`,
  ScaleIOPersistentVolumeSource: `
    fsType string, gateway string, protectionDomain string, readOnly bool, secretRef SecretReference, sslEnabled bool,
    storageMode string, storagePool string, system string, volumeName string`,
  StorageOSPersistentVolumeSource: `
    fsType string, readOnly bool, secretRef ObjectReference, volumeName string, volumeNamespace string`,
  PersistentVolumeStatus: 'lastPhaseTransitionTime time, message string, phase string, reason string',
  CSIDriver: 'spec CSIDriverSpec',
  CSIDriverSpec: `
    attachRequired bool, fsGroupPolicy string, nodeAllocatableUpdatePeriodSeconds int, podInfoOnMount bool,
    requiresRepublish bool, seLinuxMount bool, serviceAccountTokenInSecrets bool, storageCapacity bool,
    tokenRequests CSITokenRequest[], volumeLifecycleModes string[*]`,
  CSITokenRequest: 'audience string, expirationSeconds int',
  CSINode: 'spec CSINodeSpec',
  CSINodeSpec: 'drivers CSINodeDriver[name]',
  CSINodeDriver: 'allocatable VolumeNodeResources, name string, nodeID string, topologyKeys string[]',
  VolumeNodeResources: 'count int',
  CSIStorageCapacity: `
    capacity quantity, maximumVolumeSize quantity, nodeTopology LabelSelector, storageClassName string`,
  VolumeAttachment: 'spec VolumeAttachmentSpec, status VolumeAttachmentStatus',
  VolumeAttachmentSpec: 'attacher string, nodeName string, source VolumeAttachmentSource',
  VolumeAttachmentSource: 'inlineVolumeSpec PersistentVolumeSpec, persistentVolumeName string',
  VolumeAttachmentStatus: `
    attachError VolumeError, attached bool, attachmentMetadata string{}, detachError VolumeError`,
  VolumeError: 'errorCode int, message string, time time',
  VolumeAttributesClass: 'driverName string, parameters string{}',
};
