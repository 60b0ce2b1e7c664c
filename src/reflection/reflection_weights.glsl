// reflection_weights.glsl: how much of another texel's reflection belongs to a texel's.

// By the surfaces alone: 1 for the same plane, direction and roughness. `width`: of the texel at its surface.
float surface_weight(Surface surface, float width, float3 position, float3 normal, float roughness) {
  // Off the plane: a texel's width or a hundredth of the distance to the other texel, whatever is more.
  float3 to = position - surface.position;
  float off = abs(dot(surface.normal, to));
  float plane = exp(-off / (0.5 * width + 0.05 * length(to)));
  // The lobe turns twice as fast as the normal; lobes of width alpha.
  float alpha = max(surface.roughness * surface.roughness, 0.01);
  float turn = max(1.0 - dot(surface.normal, normal), 0.0);  // half the squared angle
  float lobe = exp(-4.0 * turn / (alpha * alpha + 1e-4));
  float rough = exp(-abs(roughness - surface.roughness) / (0.1 * surface.roughness + 0.01));
  return plane * lobe * rough;
}
