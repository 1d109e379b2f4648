/** Texts that have broken databases, and how they are stored. */
export const hostileTexts: readonly (readonly [text: string, kept: string])[] = [
  ...[
    "it's",
    '"quoted"',
    '`x` [x] \\ \\" \\u0000 \\',
    "'); DROP TABLE sluice_record; --",
    '$.x $[0] $1 ? :a @b {a,b} * NULL null',
    '__proto__',
    'constructor',
    'a.b',
    'line\nbreak\r\n\ttab\u2028\u2029\u0001\u007f',
    '😀 🏳️‍🌈 é é \u202e',
    '\ufeffmark',
    '\uffff',
    ' ',
    '1e3',
    'true',
    `long ${'x'.repeat(10_000)}`,
  ].map(text => [text, text] as const),
  ['zero\0zero', 'zero\ufffdzero'],
  ['half \ud83d of a pair', 'half \ufffd of a pair'],
  ['other half \ude00', 'other half \ufffd'],
]
