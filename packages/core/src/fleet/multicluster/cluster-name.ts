/** Name of a cluster within the fleet, set by its provider. */
export type ClusterName = string;

/** Name of the local cluster: the cluster of the manager's own configuration, often the hub. */
export const LOCAL_CLUSTER: ClusterName = '';
