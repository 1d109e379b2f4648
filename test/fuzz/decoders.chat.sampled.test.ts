import { fuzzDecoder } from './decoders/decoder-target.ts'

fuzzDecoder('openai')
fuzzDecoder('openai-compatible')
fuzzDecoder('azure')
