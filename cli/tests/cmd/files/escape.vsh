[31mMOV[0m oPos, v0
