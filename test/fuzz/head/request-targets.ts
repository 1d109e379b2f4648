import fc from 'fast-check'

/** Texts that stand in lines of their own. */
export const linesOf = (text: string): string[] => text.trim().split('\n')

const origins = [
  '',
  ...linesOf(String.raw`
http://elsewhere.test
https://a:81
HTTP://x
http://user:pass@h
http://
http:/
ftp://x
x:y
//elsewhere.test
*
h:443
.
\\h
`),
]
const known = linesOf(`
/v1/chat/completions
/v1/models
/v1/models/m
/v1/models/vendor%2Fm
/v1/models/nobody
`)
const pieces = [
  '\t',
  ...linesOf(String.raw`
/v1
/v1
/chat
/completions
/chat/completions
/models
/models/
/models/m
/
//
/.
/..
/%2e%2e
/%2E
/%2Fchat
%2fv1
%63hat
/V1
/CHAT
\
/%
/%zz
/%00
/%ff
;a=b
:80
@elsewhere.test
?
?x=/v1/chat/completions
?a?b
#
#/v1/chat/completions
&
{}
"
<
|
^
é
ÿ
'
`),
]
const someOf = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { minLength, maxLength }).map(list => list.join(''))

const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...known) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...known), someOf(1, 2)).map(parts => parts.join('')) },
  { weight: 3, arbitrary: someOf(0, 5) },
)
const origin = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(...origins) },
)

/** Request targets: paths of the gateway, and others that look like them to one reader or another. */
export const requestTarget: fc.Arbitrary<string> = fc.tuple(origin, path).map(parts => parts.join(''))
