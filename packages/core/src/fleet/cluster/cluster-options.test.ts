import { describe, expect, it } from '@jest/globals';
import { ConfigMap, silentLogger, systemClock, parseOptions } from '@mcr/client';
import { clusterOptionsSchema } from './cluster-options.ts';

describe('clusterOptionsSchema', () => {
  const check = (options: unknown) => () => parseOptions('provider', clusterOptionsSchema, options);

  it('PV-6: accepts the options of createCluster, and refuses unknown options and those that the provider sets', () => {
    expect(
      check({
        cache: { compress: true, byKind: [{ kind: ConfigMap, namespaces: { shop: {} } }] },
        readYourWrites: true,
        logger: silentLogger,
        clock: systemClock,
        metrics: {},
        tracer: {},
        limits: { list: 1 },
      }),
    ).not.toThrow();
    expect(check({ name: 'eu-1' })).toThrow('provider: unknown option "name"');
    expect(check({ limits: { list: 0 } })).toThrow('option "limits.list"');
    expect(check({ qps: 5 })).toThrow('provider: unknown option "qps"');
    expect(check({ readYourWrites: 'yes', cache: true })).toThrow('option "cache": expected an object');
    expect(check({ cache: { compres: true } })).toThrow(
      'provider: unknown option "cache.compres": use only namespaces,',
    );
    expect(check({ cache: { byKind: [{ kind: ConfigMap, transfrom: Object }] } })).toThrow(
      'unknown option "cache.byKind.0.transfrom"',
    );
    expect(check({ cache: { clock: systemClock } })).toThrow('unknown option "cache.clock"');
  });
});
