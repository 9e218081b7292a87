import { describe, expect, it } from '@jest/globals';
import { compile } from './compile.ts';
import { kubernetesFunctions } from './kubernetes.ts';
import { listOf, STRING } from './types.ts';
import { List } from './values.ts';

const environment = {
  variables: { self: STRING, names: { ...listOf(STRING), maxElements: 10 } },
  functions: kubernetesFunctions,
};

const variables = { self: 'hello', names: new List(['a', 'b']) };

function evaluate(source: string): unknown {
  const { compiled, error } = compile(source, environment);
  if (!compiled) return error;
  const outcome = compiled.evaluate(variables, 1_000_000);
  return outcome.error ? outcome.error.message : outcome.value;
}

function issuesOf(source: string): string {
  return compile(source, environment).error ?? '';
}

// The expected values are the answers of kube-apiserver v1.35.
describe('CEL', () => {
  it.each([
    ["self.startsWith('he') && names.exists(n, n == 'b')", true],
    ['names.map(n, n + n).join()', 'aabb'],
    ['[1, 2, 3].filter(x, x > 1).sum()', 5n],
    ['[1, 2, 3].transformList(i, v, i * v).max()', 6n],
    ["{'a': 1}.transformMap(k, v, v + 1)['a']", 2n],
    ["[{'a': 2}, {'a': 1}].sortBy(x, x.a)[0].a", 1n],
    ["names[?9].orValue('none')", 'none'],
    ['optional.of(1).optMap(v, v + 1).value()', 2n],
    ["self.find('l+')", 'll'],
    ["self.replace('l', 'L', 1)", 'heLlo'],
    ["'%s is %d'.format([self, 5])", 'hello is 5'],
    ["ip('2001:DB8:0:0::1').family()", 6n],
    ["string(ip('2001:DB8:0:0::1'))", '2001:db8::1'],
    ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", true],
    ["url('https://example.com:80/').getPort()", '80'],
    ["quantity('1.5Gi').isGreaterThan(quantity('1G'))", true],
    ["semver('1.2.3-a.1').isLessThan(semver('1.2.3'))", true],
    ["!format.dns1123Label().validate('ok').hasValue()", true],
    ['sets.equivalent([1, 2], [2, 1, 1])', true],
    ["duration('1h') > duration('59m')", true],
    ["timestamp('2024-03-10T12:30:00Z').getHours('America/New_York')", 8n],
    ['(1 / 0 == 1) || true', true],
    ['string(123456789.5)', '1.234567895e+08'],
    ["'%.2f %f'.format([1234567.891, -2.5])", '1,234,567.89 -2.500000'],
    ["'%.0f %.0f %f'.format([2.5, 3.5, double('-Infinity')])", '2 4 -∞'],
    ["'%e %.3e'.format([1234.5, 1e-300])", '1.234500×10⁰³ 1.000000×10⁻³⁰⁰'],
    ["'%s'.format([[1.5, b'x', duration('1s'), null, 'a']])", '[1.500000, b"x", duration("1s"), null, "a"]'],
    ["'%s'.format([{'b': 2, 'a': [double('NaN')]}])", '{"a":["NaN"], "b":2}'],
    ["'%x %X %o %b %d%%'.format(['hé', -255, 8u, true, 7])", '68c3a9 -FF 10 1 7%'],
    ['google.protobuf.Int64Value{value: 3} + 1 == 4 && google.protobuf.BoolValue{} == false', true],
    ["google.protobuf.Duration{seconds: 3, ?nanos: optional.none()} == duration('3s')", true],
    ["google.protobuf.Struct{fields: {'a': 1}} == {'a': 1.0}", true],
    ["google.protobuf.Value{string_value: 'a'} == 'a' && google.protobuf.Value{} == null", true],
    ['[1, 2, 3].exists_one(i, v, v == 3) && [1, 2, 3].existsOne(i, v, v == 3)', true],
    ["string(timestamp('2024-02-29T12:34:56-09:30') + duration('1h'))", '2024-02-29T13:34:56-09:30'],
    ["quantity('1.5k').asInteger()", 1500n],
    ["quantity('1.0').isInteger() || quantity('1000m').isInteger() || quantity('1.5Gi').isInteger()", false],
    ["quantity('0.0').add(quantity('1')).isInteger()", true],
    ["{'a': 1, 'a': 2}.a", 2n],
    ["dyn(ip('1.1.1.1')) != dyn(1)", true],
    ["format.date().validate('2024-02-30').hasValue()", true],
  ])('K-26: evaluates %s', (source, value) => {
    expect(evaluate(source)).toEqual(value);
  });

  it.each([
    ['1 / 0', 'division by zero'],
    ['9223372036854775807 + 1', 'integer overflow'],
    ['[1][5]', 'index out of bounds: 5'],
    ["{'a': 1}['b']", 'no such key: b'],
    ["dyn(1) + dyn('a')", 'no such overload'],
    ["dyn(ip('1.1.1.1')) == dyn(1)", 'no such overload'],
    ["cidr('10.0.0.0/8').containsIP('x')", 'no such overload'],
    ["quantity('1.5Gi').asInteger()", 'cannot convert value to integer'],
    [
      'google.protobuf.Int32Value{value: 3000000000} == 3',
      'field type conversion error for google.protobuf.Int32Value.value value type: integer overflow',
    ],
    [
      "'%d'.format([dyn(1.5)])",
      'error during formatting: decimal clause can only be used on integers, was given double',
    ],
    ["'%s'.format([{1.5: 2}])", 'error during formatting: no formatting function for map key of type double'],
    ["'%s %s'.format(names.filter(n, n == 'a'))", 'index 1 out of range'],
    ...[
      ['1.2.3', 'IPv4 address too short'],
      ['1.2.3.4.5', 'IPv4 address too long'],
      ['001.2.3.4', 'IPv4 field has octet with leading zero'],
      ['1.2.3.256', 'IPv4 field has value >255'],
      ['1..2.3', 'IPv4 field must have at least one digit (at ".2.3")'],
      ['1.2.3.', 'IPv4 field must have at least one digit (at ".")'],
      ['1.2.3.a', 'unexpected character (at "a")'],
      ['abc', 'unable to parse IP'],
    ].map(([text = '', fault = '']) => [
      `ip('${text}').family()`,
      `IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): ${fault}`,
    ]),
  ])('K-26: fails to evaluate %s as cel-go does', (source, message) => {
    expect(evaluate(source)).toBe(message);
  });

  it.each([
    ['self + 1', "1:6: found no matching overload for '_+_' applied to '(string, int)'"],
    ['foo(self)', "1:4: undeclared reference to 'foo' (in container '')"],
    ['self.x', "1:5: type 'string' does not support field selection"],
    ["[1, 'a']", "1:5: expected type 'int' but found 'string'"],
    ["self.matches('(')", '1:14: invalid matches argument'],
    ['self ===', "1:8: Syntax error: token recognition error at: '='"],
    ['self.`a-b` == 1', "1:6: unsupported syntax: '`'"],
    ['self.?`a`', "1:7: unsupported syntax: '`'"],
    ['self.`a$b`', "1:6: Syntax error: token recognition error at: '`a$'"],
    ['self.?1', "1:7: Syntax error: mismatched input '1' expecting {IDENTIFIER, ESC_IDENTIFIER}"],
    ['Foo{a: 1}.a', "1:4: undeclared reference to 'Foo' (in container '')"],
    ['foo.bar.Baz{}', "1:12: undeclared reference to 'foo.bar.Baz' (in container '')"],
    ['int{}', "1:4: 'int' is not a message type"],
    ['self{a: 1}', "1:7: unexpected failed resolution of 'self'"],
    ['google.protobuf.Duration{foo: 1}', "1:29: undefined field 'foo'"],
    [
      "google.protobuf.Duration{seconds: 'x'}",
      "1:33: expected type of field 'seconds' is 'int' but provided type is 'string'",
    ],
    ['Foo{', "1:5: Syntax error: mismatched input '<EOF>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"],
    ['Foo{a: 1 b: 2}', "1:10: Syntax error: mismatched input 'b' expecting {'}', ','}"],
    ['[?1]', "1:3: expected type 'optional_type(int)' but found 'int'"],
    ["[1, 1.0, 'a']", "1:5: expected type 'int' but found 'double'"],
    ['[dyn(1), 1]', "1:10: expected type 'dyn' but found 'int'"],
    [
      "'%d'.format(['a'])",
      '1:14: error during formatting: decimal clause can only be used on integers, was given string',
    ],
    ["'%s'.format([1, 2])", '1:12: too many arguments supplied to string.format (expected 1, got 2)'],
    ["'%s'.format([])", '1:12: index 0 out of range'],
    ["'%q'.format([1])", '1:12: could not parse formatting clause: unrecognized formatting clause "q"'],
    ["'a%'.format([1])", '1:12: unexpected end of string'],
    ['[1, 2].existsOne(x, x > 1)', "1:17: undeclared reference to 'existsOne' (in container '')"],
    ['timestamp(253402300800)', '1:11: invalid timestamp argument'],
    [String.raw`self == "\q"`, String.raw`1:9: Syntax error: token recognition error at: '"\q'`],
    ["'é' + x", "1:7: undeclared reference to 'x' (in container '')\n | 'é' + x\n | .．....^"],
    // Libraries that kube-apiserver v1.35 does not have either.
    ['cel.bind(x, 1, x)', "1:1: undeclared reference to 'cel' (in container '')"],
    ["'abc'.reverse()", "1:14: found no matching overload for 'reverse' applied to 'string.()'"],
  ])('K-26: refuses %s with the error of cel-go', (source, message) => {
    expect(evaluate(source)).toContain(`ERROR: <input>:${message}`);
  });

  it.each([
    ['*', ["1:1: mismatched input '*' expecting START", "1:2: mismatched input '<EOF>' expecting START"]],
    ['(*) + 1', ["1:2: mismatched input '*' expecting START", "1:3: mismatched input ')' expecting START"]],
    ['* + 1', ["1:1: mismatched input '*' expecting START", "1:3: extraneous input '+' expecting START"]],
    [
      '- *',
      [
        "1:3: no viable alternative at input '- *'",
        "1:3: mismatched input '*' expecting START",
        "1:4: mismatched input '<EOF>' expecting START",
      ],
    ],
    ['!', ["1:2: extraneous input '<EOF>' expecting START"]],
    ['self.*', ["1:6: no viable alternative at input '.*'", "1:7: mismatched input '<EOF>' expecting START"]],
    ['self.true', ["1:6: mismatched input 'true' expecting IDENTIFIER"]],
    ['self ? 1', ["1:9: mismatched input '<EOF>' expecting ':'"]],
    ['names[1 2]', ["1:9: extraneous input '2' expecting ']'"]],
    ['[1', ["1:3: mismatched input '<EOF>' expecting {']', ','}"]],
    ['[1,,2]', ["1:4: mismatched input ',' expecting ']'"]],
    ['size(self', ["1:10: missing ')' at '<EOF>'"]],
    ['((1', ["1:4: mismatched input '<EOF>' expecting ')'"]],
    ['self = 1', ["1:6: token recognition error at: '= '", "1:8: extraneous input '1' expecting <EOF>"]],
    ["'a' 'b'", ["1:5: extraneous input ''b'' expecting <EOF>"]],
  ])('K-26: reports every syntax error of %s', (source, expected) => {
    const start =
      "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
    const lines = issuesOf(source).replaceAll(start, 'START').split('\n');
    const found = lines.filter((line) => !line.startsWith(' |'));
    expect(found).toEqual(expected.map((text) => text.replace(/^(\S+) /u, 'ERROR: <input>:$1 Syntax error: ')));
  });

  it('K-26: recovers from as many syntax errors as cel-go', () => {
    const found = issuesOf('* '.repeat(40))
      .split('\n')
      .filter((line) => line.startsWith('ERROR'));
    expect(found).toHaveLength(32);
    expect(found.at(-1)).toBe('ERROR: <input>:1:61: Syntax error: error recovery attempt limit exceeded: 30');
  });

  it.each([
    ['[,] == []', true],
    ['{,} == {}', true],
    ['!-1 == 2', "1:1: found no matching overload for '!_' applied to '(int)'"],
    ['.self', 'hello'],
    ['.other', "1:2: undeclared reference to '.other' (in container '')"],
  ])('K-26: reads the syntax of %s as cel-go does', (source, expected) => {
    const found = evaluate(source);
    if (typeof found === 'string' && found.startsWith('ERROR')) expect(found).toContain(`ERROR: <input>:${expected}`);
    else expect(found).toBe(expected);
  });

  it.each([
    'lists.range(1000).all(x, x >= 0)',
    'lists.range(1000000000000).size() > 0',
    'lists.range(90).distinct().size() > 0',
    'lists.range(60) + lists.range(30) == []',
  ])('K-26: ends an evaluation at the limit of its cost: %s', (source) => {
    const { compiled } = compile(source, environment);
    expect(compiled?.evaluate({}, 150).error?.message).toBe('operation cancelled: actual cost limit exceeded');
  });

  it('K-26: ends an evaluation whose text is larger than a text can be', () => {
    const { compiled } = compile("self.replace('', self)", environment);
    const result = compiled?.evaluate({ self: 'x'.repeat(50_000) }, 1_000_000);
    expect(result?.error?.message).toBe('operation cancelled: actual cost limit exceeded');
  });

  it('K-26: estimates at least the cost of an evaluation', () => {
    const self = { ...listOf({ ...STRING, maxElements: 20 }), maxElements: 10 };
    for (const source of [
      "self.all(n, n != 'x')",
      'self.map(n, n + n).size() == 2',
      "self.exists(n, n.contains('ell'))",
    ]) {
      const { compiled } = compile(source, { ...environment, variables: { self } });
      const { cost } = compiled?.evaluate({ self: variables.names }, 1_000_000) ?? { cost: 0 };
      expect(compiled?.maxCost()).toBeGreaterThanOrEqual(cost);
    }
  });

  it('K-26: ends a nested expression at the depth of cel-go', () => {
    expect(evaluate(`${'('.repeat(300)}1${')'.repeat(300)}`)).toContain('expression recursion limit exceeded: 250');
  });

  it.each([
    ['terms', (count: number) => `${'1 + '.repeat(count - 1)}1 > 0`, 250],
    ['comparisons', (count: number) => `${'true == '.repeat(count)}true`, 250],
    ['calls', (count: number) => `"a"${'.trim()'.repeat(count)} == "a"`, 249],
  ])('K-26: ends a long chain of %s at the depth of cel-go', (_, text, limit) => {
    expect(issuesOf(text(limit))).toBe('');
    for (const count of [limit + 1, 5000]) {
      expect(issuesOf(text(count))).toBe('ERROR: <input>:-1:0: max recursion depth exceeded');
    }
  });

  it('K-26: parses a long chain of logical operators', () => {
    expect(evaluate(`${'true && '.repeat(3000)}false || true`)).toBe(true);
  });
});
