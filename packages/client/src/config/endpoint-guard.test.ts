import { describe, expect, it } from '@jest/globals';
import { EndpointGuard } from './endpoint-guard.ts';

describe('EndpointGuard', () => {
  it('allows anything without rules', () => {
    for (const host of ['169.254.169.254', '::', 'metadata.google.internal']) {
      expect(new EndpointGuard().refusal(host)).toBeUndefined();
    }
  });

  it.each([
    ['169.254.169.254', 'of most clouds'],
    ['::ffff:169.254.169.254', 'the same, mapped'],
    ['::ffff:a9fe:a9fe', 'the same, mapped, in hexadecimal'],
    ['64:ff9b::a9fe:a9fe', 'the same, by NAT64'],
    ['::ffff:0:a9fe:a9fe', 'the same, by SIIT'],
    ['::a9fe:a9fe', 'the same, IPv4-compatible'],
    ['2002:a9fe:a9fe::1', 'the same, by 6to4'],
    ['64:ff9b:1:a9fe:a9:fe00::', 'the same, by NAT64 of a /48'],
    ['64:ff9b:1:2a9:fe:a9fe::', 'the same, by NAT64 of a /56'],
    ['64:ff9b:1:2:a9:fea9:fe00::', 'the same, by NAT64 of a /64'],
    ['64:ff9b:1::169.254.169.254', 'the same, by NAT64 of a /96'],
    ['2001:0:a9fe:a9fe::1', 'the same, as a Teredo server'],
    ['2001::5601:5601', 'the same, as a Teredo client'],
    ['2001:db8::5efe:169.254.169.254', 'the same, by ISATAP'],
    ['2001:db8::200:5efe:a9fe:a9fe', 'the same, by ISATAP of a global address'],
    ['::ffff:169.254.169.254%eth0', 'the same, mapped, with a zone'],
    ['0xa9fea9fe', 'the same, as one hexadecimal number'],
    ['2852039166', 'the same, as one decimal number'],
    ['0251.0376.0251.0376', 'the same, in octal'],
    ['169.254.43518', 'the same, as three numbers'],
    ['169.254.169.254.', 'the same, with a trailing dot'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local, with a zone'],
    ['fd00:ec2::254', 'AWS'],
    ['fd00:ec2::23', 'AWS, EKS Pod Identity'],
    ['fd20:ce::254', 'Google'],
    ['fd00:c1::a9fe:a9fe', 'Oracle'],
    ['fd00:a9fe:a9fe::1', 'Akamai'],
    ['fd00:42::42', 'Scaleway'],
    ['fd00:100::100:200', 'Alibaba'],
    ['64:ff9b:1:6464:64:c800::', 'Alibaba, by NAT64 of a /48'],
    ['100.100.100.200', 'Alibaba'],
    ['64:ff9b::100.100.100.200', 'the same, by NAT64'],
    ['168.63.129.16', 'Azure'],
    ['Metadata.Google.Internal.', 'Google, by name'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['::ffff:0.0.0.0', 'unspecified, mapped'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
  ])('S-3, S-15: refuses %s (%s) without metadataAddresses, even if allow lists it', (host) => {
    const guard = new EndpointGuard({ allow: ['0.0.0.0/0', '::/0', '*.internal'], metadataAddresses: false });
    expect(guard.refusal(host)).toContain('metadata');
  });

  it.each([
    '10.0.0.1',
    '127.0.0.1',
    '::1',
    '100.100.100.201',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::10.0.0.1',
    '64:ff9b:1:a00:0:100::',
    '2002:a00:1::1',
    '2001:0:a00:1::f5ff:fffe',
    '2001:db8::5efe:10.0.0.1',
    '2001:db8::a9fe:a9fe',
    '0xa000001',
    '168.63.129.17',
    'fd00::1',
    'api.example.com',
  ])('allows %s', (host) => expect(new EndpointGuard({ metadataAddresses: false }).refusal(host)).toBeUndefined());

  it.each([
    [['api.example.com'], 'API.example.com.', true],
    [['*.example.com'], 'a.b.example.com', true],
    [['*.example.com'], 'example.com', false],
    [['*.example.com'], 'badexample.com', false],
    [['10.0.0.0/8'], '10.255.0.1', true],
    [['10.0.0.0/8'], '::ffff:10.0.0.1', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    [['2001:db8::/32'], '2001:db8::1', true],
    [['2001:db8::1'], '2001:db8:0:0:0:0:0:1', true],
    [[], '10.0.0.1', false],
  ])('S-3: with allow %j, %s is allowed: %s', (allow, host, allowed) => {
    expect(new EndpointGuard({ allow }).refusal(host) === undefined).toBe(allowed);
  });

  it.each(['', 'https://h', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', 'a b', '*', 'h:443'])(
    'refuses the rule %j',
    (rule) => {
      expect(() => new EndpointGuard({ allow: ['h', rule] })).toThrow(
        'endpoints.allow[1]: expected a host name, a pattern such as *.example.com, an address or a CIDR block',
      );
    },
  );
});
