import type { InternalTypeTable } from './internal-value.ts';

/** The internal types of volumes in the notation of {@link InternalTypeTable}. */
export const internalVolumeTypes: InternalTypeTable = {
  Volume: 'Name string, +VolumeSource',
  VolumeSource: `
    HostPath HostPathVolumeSource?, EmptyDir EmptyDirVolumeSource?,
    GCEPersistentDisk=gcePersistentDisk GCEPersistentDiskVolumeSource?,
    AWSElasticBlockStore=awsElasticBlockStore AWSElasticBlockStoreVolumeSource?, GitRepo GitRepoVolumeSource?,
    Secret SecretVolumeSource?, NFS=nfs NFSVolumeSource?, ISCSI=iscsi ISCSIVolumeSource?,
    Glusterfs GlusterfsVolumeSource?, PersistentVolumeClaim PersistentVolumeClaimVolumeSource?,
    RBD=rbd RBDVolumeSource?, Quobyte QuobyteVolumeSource?, FlexVolume FlexVolumeSource?, Cinder CinderVolumeSource?,
    CephFS=cephfs CephFSVolumeSource?, Flocker FlockerVolumeSource?, DownwardAPI DownwardAPIVolumeSource?,
    FC=fc FCVolumeSource?, AzureFile AzureFileVolumeSource?, ConfigMap ConfigMapVolumeSource?,
    VsphereVolume VsphereVirtualDiskVolumeSource?, AzureDisk AzureDiskVolumeSource?,
    PhotonPersistentDisk PhotonPersistentDiskVolumeSource?, Projected ProjectedVolumeSource?,
    PortworxVolume PortworxVolumeSource?, ScaleIO ScaleIOVolumeSource?, StorageOS=storageos StorageOSVolumeSource?,
    CSI=csi CSIVolumeSource?, Ephemeral EphemeralVolumeSource?, Image ImageVolumeSource?`,
  HostPathVolumeSource: 'Path string, Type ?',
  EmptyDirVolumeSource: 'Medium string, SizeLimit ?',
  GCEPersistentDiskVolumeSource: 'PDName=pdName string, FSType=fsType string, Partition int, ReadOnly bool',
  AWSElasticBlockStoreVolumeSource: 'VolumeID string, FSType=fsType string, Partition int, ReadOnly bool',
  GitRepoVolumeSource: 'Repository string, Revision string, Directory string',
  SecretVolumeSource: 'SecretName string, Items KeyToPath[], DefaultMode ?, Optional ?',
  KeyToPath: 'Key string, Path string, Mode ?',
  NFSVolumeSource: 'Server string, Path string, ReadOnly bool',
  ISCSIVolumeSource: `
    TargetPortal string, IQN=iqn string, Lun int, ISCSIInterface=iscsiInterface string, FSType=fsType string,
    ReadOnly bool, Portals ?, DiscoveryCHAPAuth=chapAuthDiscovery bool, SessionCHAPAuth=chapAuthSession bool,
    SecretRef LocalObjectReference?, InitiatorName ?`,
  LocalObjectReference: 'Name string',
  GlusterfsVolumeSource: 'EndpointsName=endpoints string, Path string, ReadOnly bool',
  PersistentVolumeClaimVolumeSource: 'ClaimName string, ReadOnly bool',
  RBDVolumeSource: `
    CephMonitors=monitors ?, RBDImage=image string, FSType=fsType string, RBDPool=pool string, RadosUser=user string,
    Keyring string, SecretRef LocalObjectReference?, ReadOnly bool`,
  QuobyteVolumeSource: 'Registry string, Volume string, ReadOnly bool, User string, Group string, Tenant string',
  FlexVolumeSource: 'Driver string, FSType=fsType string, SecretRef LocalObjectReference?, ReadOnly bool, Options ?',
  CinderVolumeSource: 'VolumeID string, FSType=fsType string, ReadOnly bool, SecretRef LocalObjectReference?',
  CephFSVolumeSource: `
    Monitors ?, Path string, User string, SecretFile string, SecretRef LocalObjectReference?, ReadOnly bool`,
  FlockerVolumeSource: 'DatasetName string, DatasetUUID string',
  DownwardAPIVolumeSource: 'Items DownwardAPIVolumeFile[], DefaultMode ?',
  DownwardAPIVolumeFile: 'Path string, FieldRef ObjectFieldSelector?, ResourceFieldRef ResourceFieldSelector?, Mode ?',
  ObjectFieldSelector: 'APIVersion=apiVersion string, FieldPath string',
  ResourceFieldSelector: 'ContainerName string, Resource string, Divisor quantity',
  FCVolumeSource: 'TargetWWNs ?, Lun ?, FSType=fsType string, ReadOnly bool, WWIDs=wwids ?',
  AzureFileVolumeSource: 'SecretName string, ShareName string, ReadOnly bool',
  ConfigMapVolumeSource: '+LocalObjectReference, Items KeyToPath[], DefaultMode ?, Optional ?',
  VsphereVirtualDiskVolumeSource: `
    VolumePath string, FSType=fsType string, StoragePolicyName string, StoragePolicyID string`,
  AzureDiskVolumeSource: `
    DiskName string, DataDiskURI=diskURI string, CachingMode ?, FSType=fsType ?, ReadOnly ?, Kind ?`,
  PhotonPersistentDiskVolumeSource: 'PdID string, FSType=fsType string',
  ProjectedVolumeSource: 'Sources VolumeProjection[], DefaultMode ?',
  VolumeProjection: `
    Secret SecretProjection?, DownwardAPI DownwardAPIProjection?, ConfigMap ConfigMapProjection?,
    ServiceAccountToken ServiceAccountTokenProjection?, ClusterTrustBundle ClusterTrustBundleProjection?,
    PodCertificate PodCertificateProjection?`,
  SecretProjection: '+LocalObjectReference, Items KeyToPath[], Optional ?',
  DownwardAPIProjection: 'Items DownwardAPIVolumeFile[]',
  ConfigMapProjection: '+LocalObjectReference, Items KeyToPath[], Optional ?',
  ServiceAccountTokenProjection: 'Audience string, ExpirationSeconds int, Path string',
  ClusterTrustBundleProjection: 'Name ?, SignerName ?, LabelSelector LabelSelector?, Optional ?, Path string',
  PodCertificateProjection: `
    SignerName string, KeyType string, MaxExpirationSeconds ?, CredentialBundlePath string, KeyPath string,
    CertificateChainPath string, UserAnnotations ?`,
  PortworxVolumeSource: 'VolumeID string, FSType=fsType string, ReadOnly bool',
  ScaleIOVolumeSource: `
    Gateway string, System string, SecretRef LocalObjectReference?, SSLEnabled=sslEnabled bool,
    ProtectionDomain string, StoragePool string, StorageMode string, VolumeName string, FSType=fsType string,
    ReadOnly bool`,
  StorageOSVolumeSource: `
    VolumeName string, VolumeNamespace string, FSType=fsType string, ReadOnly bool, SecretRef LocalObjectReference?`,
  CSIVolumeSource: `
    Driver string, ReadOnly ?, FSType=fsType ?, VolumeAttributes ?, NodePublishSecretRef LocalObjectReference?`,
  EphemeralVolumeSource: 'VolumeClaimTemplate PersistentVolumeClaimTemplate?',
  PersistentVolumeClaimTemplate: '+ObjectMeta, Spec PersistentVolumeClaimSpec',
  PersistentVolumeClaimSpec: `
    AccessModes ?, Selector LabelSelector?, Resources VolumeResourceRequirements, VolumeName string,
    StorageClassName ?, VolumeMode ?, DataSource TypedLocalObjectReference?, DataSourceRef TypedObjectReference?,
    VolumeAttributesClassName ?`,
  VolumeResourceRequirements: 'Limits ?, Requests ?',
  TypedLocalObjectReference: 'APIGroup=apiGroup ?, Kind string, Name string',
  TypedObjectReference: 'APIGroup=apiGroup ?, Kind string, Name string, Namespace ?',
  ImageVolumeSource: 'Reference string, PullPolicy string',
};
