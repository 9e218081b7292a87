/** A cluster's name within the fleet, chosen by its provider. */
export type ClusterName = string;

/** The cluster that the manager itself is configured for: the host, or hub. */
export const LOCAL_CLUSTER: ClusterName = '';
