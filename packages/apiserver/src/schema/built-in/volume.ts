import type { TypeTable } from './notation.ts';

/** The types of volumes, in the notation of {@link TypeTable}. */
export const volumeTypes: TypeTable = {
  Volume: `
    awsElasticBlockStore AWSElasticBlockStoreVolumeSource, azureDisk AzureDiskVolumeSource,
    azureFile AzureFileVolumeSource, cephfs CephFSVolumeSource, cinder CinderVolumeSource,
    configMap ConfigMapVolumeSource, csi CSIVolumeSource, downwardAPI DownwardAPIVolumeSource,
    emptyDir EmptyDirVolumeSource, ephemeral EphemeralVolumeSource, fc FCVolumeSource, flexVolume FlexVolumeSource,
    flocker FlockerVolumeSource, gcePersistentDisk GCEPersistentDiskVolumeSource, gitRepo GitRepoVolumeSource,
    glusterfs GlusterfsVolumeSource, hostPath HostPathVolumeSource, image ImageVolumeSource, iscsi ISCSIVolumeSource,
    name string, nfs NFSVolumeSource, persistentVolumeClaim PersistentVolumeClaimVolumeSource,
    photonPersistentDisk PhotonPersistentDiskVolumeSource, portworxVolume PortworxVolumeSource,
    projected ProjectedVolumeSource, quobyte QuobyteVolumeSource, rbd RBDVolumeSource, scaleIO ScaleIOVolumeSource,
    secret SecretVolumeSource, storageos StorageOSVolumeSource, vsphereVolume VsphereVirtualDiskVolumeSource`,
  'ResourceFieldSelector!': 'containerName string, divisor quantity, resource string',
  AWSElasticBlockStoreVolumeSource: 'fsType string, partition int, readOnly bool, volumeID string',
  AzureDiskVolumeSource: `
    cachingMode string, diskName string, diskURI string, fsType string, kind string, readOnly bool`,
  AzureFileVolumeSource: 'readOnly bool, secretName string, shareName string',
  CephFSVolumeSource: `
    monitors string[], path string, readOnly bool, secretFile string, secretRef LocalObjectReference, user string`,
  CinderVolumeSource: 'fsType string, readOnly bool, secretRef LocalObjectReference, volumeID string',
  ConfigMapVolumeSource: 'defaultMode int, items KeyToPath[], name string, optional bool',
  CSIVolumeSource: `
    driver string, fsType string, nodePublishSecretRef LocalObjectReference, readOnly bool, volumeAttributes string{}`,
  DownwardAPIVolumeSource: 'defaultMode int, items DownwardAPIVolumeFile[]',
  EmptyDirVolumeSource: 'medium string, sizeLimit quantity',
  EphemeralVolumeSource: 'volumeClaimTemplate PersistentVolumeClaimTemplate',
  FCVolumeSource: 'fsType string, lun int, readOnly bool, targetWWNs string[], wwids string[]',
  FlexVolumeSource: 'driver string, fsType string, options string{}, readOnly bool, secretRef LocalObjectReference',
  FlockerVolumeSource: 'datasetName string, datasetUUID string',
  GCEPersistentDiskVolumeSource: 'fsType string, partition int, pdName string, readOnly bool',
  GitRepoVolumeSource: 'directory string, repository string, revision string',
  GlusterfsVolumeSource: 'endpoints string, path string, readOnly bool',
  HostPathVolumeSource: 'path string, type string',
  ImageVolumeSource: 'pullPolicy string, reference string',
  ISCSIVolumeSource: `
    chapAuthDiscovery bool, chapAuthSession bool, fsType string, initiatorName string, iqn string,
    iscsiInterface string, lun int, portals string[], readOnly bool, secretRef LocalObjectReference,
    targetPortal string`,
  NFSVolumeSource: 'path string, readOnly bool, server string',
  PersistentVolumeClaimVolumeSource: 'claimName string, readOnly bool',
  PhotonPersistentDiskVolumeSource: 'fsType string, pdID string',
  PortworxVolumeSource: 'fsType string, readOnly bool, volumeID string',
  ProjectedVolumeSource: 'defaultMode int, sources VolumeProjection[]',
  QuobyteVolumeSource: 'group string, readOnly bool, registry string, tenant string, user string, volume string',
  RBDVolumeSource: `
    fsType string, image string, keyring string, monitors string[], pool string, readOnly bool,
    secretRef LocalObjectReference, user string`,
  ScaleIOVolumeSource: `
    fsType string, gateway string, protectionDomain string, readOnly bool, secretRef LocalObjectReference,
    sslEnabled bool, storageMode string, storagePool string, system string, volumeName string`,
  SecretVolumeSource: 'defaultMode int, items KeyToPath[], optional bool, secretName string',
  StorageOSVolumeSource: `
    fsType string, readOnly bool, secretRef LocalObjectReference, volumeName string, volumeNamespace string`,
  VsphereVirtualDiskVolumeSource: 'fsType string, storagePolicyID string, storagePolicyName string, volumePath string',
  KeyToPath: 'key string, mode int, path string',
  DownwardAPIVolumeFile: 'fieldRef ObjectFieldSelector, mode int, path string, resourceFieldRef ResourceFieldSelector',
  PersistentVolumeClaimTemplate: 'metadata ObjectMeta, spec PersistentVolumeClaimSpec',
  VolumeProjection: `
    clusterTrustBundle ClusterTrustBundleProjection, configMap ConfigMapProjection, downwardAPI DownwardAPIProjection,
    podCertificate PodCertificateProjection, secret SecretProjection,
    serviceAccountToken ServiceAccountTokenProjection`,
  'ObjectFieldSelector!': 'apiVersion string, fieldPath string',
  ClusterTrustBundleProjection: `
    labelSelector LabelSelector, name string, optional bool, path string, signerName string`,
  ConfigMapProjection: 'items KeyToPath[], name string, optional bool',
  DownwardAPIProjection: 'items DownwardAPIVolumeFile[]',
  PodCertificateProjection: `
    certificateChainPath string, credentialBundlePath string, keyPath string, keyType string,
    maxExpirationSeconds int, signerName string, userAnnotations string{}`,
  SecretProjection: 'items KeyToPath[], name string, optional bool',
  ServiceAccountTokenProjection: 'audience string, expirationSeconds int, path string',
};
