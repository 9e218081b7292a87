import type { TypeTable } from './notation.ts';

/** The types of devices (resource.k8s.io), in the notation of {@link TypeTable}. */
export const deviceTypes: TypeTable = {
  DeviceResourceClaim: 'spec ResourceClaimSpec, status ResourceClaimStatus',
  ResourceClaimSpec: 'devices DeviceClaim',
  DeviceClaim: 'config DeviceClaimConfiguration[], constraints DeviceConstraint[], requests DeviceRequest[]',
  DeviceClaimConfiguration: 'opaque OpaqueDeviceConfiguration, requests string[]',
  OpaqueDeviceConfiguration: 'driver string, parameters any!',
  DeviceConstraint: 'distinctAttribute string, matchAttribute string, requests string[]',
  DeviceRequest: 'exactly ExactDeviceRequest, firstAvailable DeviceSubRequest[], name string',
  ExactDeviceRequest: `
    adminAccess bool, allocationMode string, capacity CapacityRequirements, count int, deviceClassName string,
    selectors DeviceSelector[], tolerations DeviceToleration[]`,
  CapacityRequirements: 'requests quantity{}',
  DeviceSelector: 'cel CELDeviceSelector',
  CELDeviceSelector: 'expression string',
  DeviceToleration: 'effect string, key string, operator string, tolerationSeconds int, value string',
  DeviceSubRequest: `
    allocationMode string, capacity CapacityRequirements, count int, deviceClassName string, name string,
    selectors DeviceSelector[], tolerations DeviceToleration[]`,
  ResourceClaimStatus: `
    allocation AllocationResult, devices AllocatedDeviceStatus[driver+device+pool+shareID],
    reservedFor ResourceClaimConsumerReference[uid]`,
  AllocationResult: 'allocationTimestamp time, devices DeviceAllocationResult, nodeSelector NodeSelector',
  DeviceAllocationResult: 'config DeviceAllocationConfiguration[], results DeviceRequestAllocationResult[]',
  DeviceAllocationConfiguration: 'opaque OpaqueDeviceConfiguration, requests string[], source string',
  DeviceRequestAllocationResult: `
    adminAccess bool, bindingConditions string[], bindingFailureConditions string[], consumedCapacity quantity{},
    device string, driver string, pool string, request string, shareID string, tolerations DeviceToleration[]`,
  AllocatedDeviceStatus: `
    conditions Condition[type], data any!, device string, driver string, networkData NetworkDeviceData, pool string,
    shareID string`,
  NetworkDeviceData: 'hardwareAddress string, interfaceName string, ips string[]',
  ResourceClaimConsumerReference: 'apiGroup string, name string, resource string, uid string',
  ResourceClaimTemplate: 'spec ResourceClaimTemplateSpec',
  ResourceClaimTemplateSpec: 'metadata ObjectMeta, spec ResourceClaimSpec',
  ResourceSlice: 'spec ResourceSliceSpec',
  ResourceSliceSpec: `
    allNodes bool, devices Device[], driver string, nodeName string, nodeSelector NodeSelector,
    perDeviceNodeSelection bool, pool ResourcePool, sharedCounters CounterSet[]`,
  Device: `
    allNodes bool, allowMultipleAllocations bool, attributes DeviceAttribute{}, bindingConditions string[],
    bindingFailureConditions string[], bindsToNode bool, capacity DeviceCapacity{},
    consumesCounters DeviceCounterConsumption[], name string, nodeName string, nodeSelector NodeSelector,
    taints DeviceTaint[]`,
  DeviceAttribute: 'bool bool, int int, string string, version string',
  DeviceCapacity: 'requestPolicy CapacityRequestPolicy, value quantity',
  CapacityRequestPolicy: 'default quantity, validRange CapacityRequestPolicyRange, validValues quantity[]',
  CapacityRequestPolicyRange: 'max quantity, min quantity, step quantity',
  DeviceCounterConsumption: 'counterSet string, counters Counter{}',
  Counter: 'value quantity',
  DeviceTaint: 'effect string, key string, timeAdded time, value string',
  ResourcePool: 'generation int, name string, resourceSliceCount int',
  CounterSet: 'counters Counter{}, name string',
  DeviceClass: 'spec DeviceClassSpec',
  DeviceClassSpec: 'config DeviceClassConfiguration[], extendedResourceName string, selectors DeviceSelector[]',
  DeviceClassConfiguration: 'opaque OpaqueDeviceConfiguration',
};
