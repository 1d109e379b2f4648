import {
  type EmbeddingCompatibility,
  openaiEmbeddingCompatibility,
} from '../embeddings/embedding-compatibility.ts'

/** Cohere's models, which take `input_type` also behind this API (Azure AI Foundry, "Cohere embed"). */
const cohereEmbeddings: EmbeddingCompatibility = { ...openaiEmbeddingCompatibility, fields: ['input_type'] }

/** How the embeddings of a deployment differ from OpenAI's. Only its name shows which model it has. */
export function azureEmbeddings(deployment: string): EmbeddingCompatibility {
  return /cohere|embed-(?:v\d|english|multilingual)/i.test(deployment)
    ? cohereEmbeddings
    : openaiEmbeddingCompatibility
}
