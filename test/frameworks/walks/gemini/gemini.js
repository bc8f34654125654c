import { GoogleGenAI } from '@google/genai';
import { startActiveObservation } from '@langfuse/tracing';

const ai = new GoogleGenAI({ apiKey: process.env.GEMINI_API_KEY });

/** `generateContent`, with an observation of what the model was given and what it said. */
export function generateContent({ model, contents, config }) {
  return startActiveObservation(
    'generateContent',
    async (generation) => {
      const { systemInstruction, tools, ...modelParameters } = config;
      generation.update({ model, modelParameters, input: { systemInstruction, contents, tools } });
      const response = await ai.models.generateContent({ model, contents, config });
      generation.update({ output: response.candidates[0].content });
      return response;
    },
    { asType: 'generation' },
  );
}
