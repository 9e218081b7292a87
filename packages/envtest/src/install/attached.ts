import type { Installation } from './installation.ts';

const installations = new WeakMap<object, Installation>();

/** Connects an installation to a control plane, which removes its temporary files when it stops. */
export function attach(controlPlane: object, installation: Installation): void {
  installations.set(controlPlane, installation);
}

/** Returns the installation of a control plane, if it has one. */
export function attachedTo(controlPlane: object): Installation | undefined {
  return installations.get(controlPlane);
}
