import { expect, it } from 'vitest'
import { samplesByPackage } from '../../../bench/samples-by-package.ts'

/** A tree of frames, `name@url`, each with how often it was sampled. */
interface Frame {
  readonly at: string
  readonly samples?: number
  readonly calls?: readonly Frame[]
}

function profileOf(root: Frame) {
  const samples: number[] = []
  const nodes: Parameters<typeof samplesByPackage>[0]['nodes'] = []
  const add = ({ at, samples: count = 0, calls = [] }: Frame): number => {
    const [functionName = '', url = ''] = at.split('@file:')
    const id = nodes.length + 1
    const children: number[] = []
    const callFrame = { functionName, url, scriptId: '0', lineNumber: 0, columnNumber: 0 }
    nodes.push({ id, callFrame, children })
    samples.push(...new Array<number>(count).fill(id))
    children.push(...calls.map(add))
    return id
  }
  add(root)
  return { nodes, samples, startTime: 0, endTime: 0 }
}

it('counts samples by package, and what is built in as its caller', () => {
  const stringify = { at: 'stringify', samples: 2 }
  const profile = profileOf({
    at: '(root)',
    calls: [
      { at: '(program)', samples: 3 },
      { at: '(idle)', samples: 50 },
      { at: '(garbage collector)', samples: 4 },
      {
        at: 'fetch@file:/app/packages/core/dist/index.js',
        samples: 5,
        calls: [
          stringify,
          {
            at: 'dispatch@file:/app/node_modules/.pnpm/undici@7.30.2/node_modules/undici/lib/client.js',
            samples: 6,
            calls: [stringify, { at: 'parse@file:/app/packages/providers/dist/index.js', samples: 7 }],
          },
          { at: 'use@file:/app/node_modules/@scope/name/index.js', samples: 1 },
        ],
      },
      { at: 'start@file:/app/bench/subjects/sluice-node.mjs', samples: 8 },
    ],
  })
  expect(Object.fromEntries(samplesByPackage(profile))).toEqual({
    'event loop, outside of any function': 3,
    'garbage collection': 4,
    '@sluice/core': 7,
    undici: 8,
    '@sluice/providers': 7,
    '@scope/name': 1,
    'the server of the benchmark': 8,
  })
})
