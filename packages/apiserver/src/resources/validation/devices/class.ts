import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../../status.ts';
import { listAt } from '../../cells.ts';
import type { Change } from '../../resource-type.ts';
import { valueAt } from '../../resource-type.ts';
import { configurationErrors } from './configuration.ts';
import { listErrors } from './lists.ts';
import { selectorsErrors } from './selector.ts';

const MOST_CONFIGURATIONS = 32;

/** Validates a DeviceClass. Configurations that an update keeps may be larger than the limit of new ones. */
export function deviceClassErrors({ object, previous }: Change): FieldError[] {
  const [config, before] = [object, previous].map((each) => listAt(each, 'spec.config'));
  const isStored = previous !== undefined && isDeepStrictEqual(config, before);
  return [
    ...selectorsErrors(['spec.selectors', valueAt(object, 'spec.selectors')]),
    ...listErrors('spec.config', config ?? [], {
      limit: MOST_CONFIGURATIONS,
      item: (field, configuration) => configurationErrors(field, configuration, isStored),
    }),
  ];
}
