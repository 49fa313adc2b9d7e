import ai21 from './presets/ai21.json';
import alibaba from './presets/alibaba.json';
import baseten from './presets/baseten.json';
import cerebras from './presets/cerebras.json';
import cloudflare from './presets/cloudflare.json';
import cohere from './presets/cohere.json';
import databricks from './presets/databricks.json';
import deepinfra from './presets/deepinfra.json';
import deepseek from './presets/deepseek.json';
import fireworksAi from './presets/fireworks-ai.json';
import groq from './presets/groq.json';
import huggingface from './presets/huggingface.json';
import hyperbolic from './presets/hyperbolic.json';
import jina from './presets/jina.json';
import litellm from './presets/litellm.json';
import llamacpp from './presets/llamacpp.json';
import lmstudio from './presets/lmstudio.json';
import localai from './presets/localai.json';
import minimax from './presets/minimax.json';
import mistral from './presets/mistral.json';
import moonshotai from './presets/moonshotai.json';
import nebius from './presets/nebius.json';
import novitaAi from './presets/novita-ai.json';
import nvidia from './presets/nvidia.json';
import ollama from './presets/ollama.json';
import openrouter from './presets/openrouter.json';
import requesty from './presets/requesty.json';
import sambanova from './presets/sambanova.json';
import sglang from './presets/sglang.json';
import snowflake from './presets/snowflake.json';
import tgi from './presets/tgi.json';
import togetherai from './presets/togetherai.json';
import vercel from './presets/vercel.json';
import vllm from './presets/vllm.json';
import voyage from './presets/voyage.json';
import watsonx from './presets/watsonx.json';
import xai from './presets/xai.json';
import zai from './presets/zai.json';
import zhipuai from './presets/zhipuai.json';

/** The contents of the folder `presets`, by file name. JSON modules, because rules may not read files. */
export const PRESET_FILES: Readonly<Record<string, unknown>> = {
  ai21,
  alibaba,
  baseten,
  cerebras,
  cloudflare,
  cohere,
  databricks,
  deepinfra,
  deepseek,
  'fireworks-ai': fireworksAi,
  groq,
  huggingface,
  hyperbolic,
  jina,
  litellm,
  llamacpp,
  lmstudio,
  localai,
  minimax,
  mistral,
  moonshotai,
  nebius,
  'novita-ai': novitaAi,
  nvidia,
  ollama,
  openrouter,
  requesty,
  sambanova,
  sglang,
  snowflake,
  tgi,
  togetherai,
  vercel,
  vllm,
  voyage,
  watsonx,
  xai,
  zai,
  zhipuai,
};
